package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"drain/runbooks"
)

// secret fetches a password from where the runbook says: a file, the
// environment, or a command. It never shows in an error.
func (s *session) secret(ctx context.Context, from runbooks.SASL) (string, error) {
	secret, err := s.fetchSecret(ctx, from)
	if err == nil && secret == "" {
		err = errors.New("cluster.sasl: the password or token is empty: look at passwordFile, passwordEnv or passwordCommand")
	}
	return secret, err
}

func (s *session) fetchSecret(ctx context.Context, from runbooks.SASL) (string, error) {
	switch {
	case from.PasswordFile != "":
		text, err := os.ReadFile(from.PasswordFile)
		if err != nil {
			return "", fmt.Errorf("cluster.sasl.passwordFile: %w", err)
		}
		return firstLine(text), nil
	case from.PasswordEnv != "":
		value, ok := s.getenv(from.PasswordEnv)
		if !ok {
			return "", fmt.Errorf("cluster.sasl.passwordEnv: %s is not set", from.PasswordEnv)
		}
		return value, nil
	case len(from.PasswordCommand) > 0:
		cmd := exec.CommandContext(ctx, from.PasswordCommand[0], from.PasswordCommand[1:]...)
		cmd.Stderr = s.stderr
		out, err := cmd.Output()
		if err != nil {
			return "", fmt.Errorf("cluster.sasl.passwordCommand: %w", err)
		}
		return firstLine(out), nil
	}
	return "", errNoSecret
}

// firstLine is a secret without the line end that editors and programs add.
func firstLine(text []byte) string {
	line, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimSuffix(line, "\r")
}
