package kafka

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/twmb/franz-go/pkg/kerr"
)

// The errors a caller may branch on; see errors.Is.
var (
	// ErrUnreachable: no broker answered.
	ErrUnreachable = errors.New("cluster unreachable")
	// ErrAuthentication: a broker was reached and one side refused the other.
	ErrAuthentication = errors.New("authentication refused")
	// ErrAuthorization: the login lacks a right.
	ErrAuthorization = errors.New("not authorized")
	// ErrUnsupported: the brokers are too old for the request, or the cluster
	// is of another kind.
	ErrUnsupported = errors.New("not supported by the cluster")
	// ErrOptions: the options themselves are at fault, such as a certificate file
	// that is not there. Nothing was contacted.
	ErrOptions = errors.New("how to reach the cluster")

	errUnknownTopic = kerr.UnknownTopicOrPartition
)

// AddressError is what went wrong at one address.
type AddressError struct {
	Address string
	Err     error
}

// Error names the address and the cause.
func (e AddressError) Error() string { return e.Address + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e AddressError) Unwrap() error { return e.Err }

// connectError is the error for a cluster of which no address answered. One
// refused login decides its kind: it is what a person has to mend.
func connectError(causes []AddressError) error {
	kind := ErrUnreachable
	slices.SortFunc(causes, func(a, b AddressError) int { return cmp.Compare(a.Address, b.Address) })
	errs := make([]error, len(causes))
	for i, cause := range causes {
		if isAuthentication(cause.Err) {
			kind = ErrAuthentication
		}
		errs[i] = cause
	}
	return fmt.Errorf("%w:\n%w", kind, errors.Join(errs...))
}

func isAuthentication(err error) bool {
	return errors.Is(err, ErrAuthentication) || errors.Is(err, kerr.SaslAuthenticationFailed) ||
		errors.Is(err, kerr.UnsupportedSaslMechanism) || errors.Is(err, kerr.IllegalSaslState)
}

// fault makes an error of Kafka's code and the broker's words; nil for code 0.
func fault(code int16, message *string) error {
	if code == 0 {
		return nil
	}
	err := kerr.ErrorForCode(code)
	switch {
	case errors.Is(err, kerr.ClusterAuthorizationFailed), errors.Is(err, kerr.TopicAuthorizationFailed),
		errors.Is(err, kerr.GroupAuthorizationFailed), errors.Is(err, kerr.TransactionalIDAuthorizationFailed):
		err = fmt.Errorf("%w: %w", ErrAuthorization, err)
	case errors.Is(err, kerr.UnsupportedVersion):
		err = fmt.Errorf("%w: %w", ErrUnsupported, err)
	}
	return kafkaError{err, name(code), cmp.Or(words(message), kerr.TypedErrorForCode(code).Description)}
}

// kafkaError is a code that Kafka answered, in its own words.
type kafkaError struct {
	kind        error // kerr's, wrapped in one of ours where a caller branches
	name, words string
}

func (e kafkaError) Error() string { return e.name + ": " + e.words }
func (e kafkaError) Unwrap() error { return e.kind }

// name is Kafka's name of a code, such as INVALID_REPLICA_ASSIGNMENT.
func name(code int16) string {
	return kerr.TypedErrorForCode(code).Message
}

func words(message *string) string {
	if message == nil {
		return ""
	}
	return *message
}

// causeOf prefers the reason why ctx ended to the bare end of ctx.
func causeOf(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil && errors.Is(err, ctx.Err()) {
		return cause
	}
	return err
}
