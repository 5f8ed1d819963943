package main

import (
	"context"
	"fmt"
	"io"

	"github.com/urfave/cli/v2"
)

// The scripts ask the program itself what may come next
// (--generate-bash-completion of urfave/cli).
const (
	bashCompletion = `_drain() {
  local cur=${COMP_WORDS[COMP_CWORD]}
  COMPREPLY=($(compgen -W "$("${COMP_WORDS[@]:0:COMP_CWORD}" --generate-bash-completion 2>/dev/null)" -- "$cur"))
}
complete -o default -F _drain drain
`
	zshCompletion = `#compdef drain
_drain() {
  local -a words_here
  words_here=("${(@f)$(${words[1,CURRENT-1]} --generate-bash-completion 2>/dev/null)}")
  _describe 'drain' words_here || _files
}
compdef _drain drain
`
)

func completionVerb() verb {
	return verb{
		name: "completion", args: "bash|zsh|fish", most: 1, formats: []string{"text"}, usage: "print a completion script for a shell",
		act: func(_ context.Context, s *session) error {
			script, err := completionScript(s.flags)
			if err != nil {
				return err
			}
			_, err = io.WriteString(s.stdout, script)
			return err
		},
	}
}

func completionScript(c *cli.Context) (string, error) {
	switch shell := c.Args().First(); shell {
	case "bash":
		return bashCompletion, nil
	case "zsh":
		return zshCompletion, nil
	case "fish":
		return c.App.ToFishCompletion()
	case "":
		return "", usageError{"completion needs a shell: bash, zsh or fish"}
	default:
		return "", usageError{fmt.Sprintf("no completion for %q: bash, zsh or fish", shell)}
	}
}
