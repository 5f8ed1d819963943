package kafkatest

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// certificates are the files of one cluster's own authority, all PEM.
type certificates struct {
	ca                    string // the authority's certificate
	broker                string // key and certificate in one file, as Kafka's key store
	clientCert, clientKey string

	roots  *x509.CertPool
	client tls.Certificate
}

// makeCertificates writes a new authority's certificates to a folder. They are
// good for a day, and the brokers' one for loopback only.
func makeCertificates(dir string) (certificates, error) {
	files := certificates{
		ca: filepath.Join(dir, "ca.pem"), broker: filepath.Join(dir, "broker.pem"),
		clientCert: filepath.Join(dir, "client.pem"), clientKey: filepath.Join(dir, "client-key.pem"),
		roots: x509.NewCertPool(),
	}
	authority, err := newAuthority()
	if err != nil {
		return certificates{}, err
	}
	brokerCert, brokerKey, err := authority.issue(brokerUser)
	if err != nil {
		return certificates{}, err
	}
	clientCert, clientKey, err := authority.issue("client")
	if err != nil {
		return certificates{}, err
	}
	for file, content := range map[string][]byte{
		files.ca:         authority.pem,
		files.broker:     bytes.Join([][]byte{brokerKey, brokerCert}, nil),
		files.clientCert: clientCert, files.clientKey: clientKey,
	} {
		if err := os.WriteFile(file, content, 0o600); err != nil {
			return certificates{}, err
		}
	}
	files.roots.AddCert(authority.cert)
	files.client, err = tls.X509KeyPair(clientCert, clientKey)
	return files, err
}

// stores are Kafka's properties for one key and the authority (PEM: KIP-651).
func (c certificates) stores(key string) map[string]string {
	return map[string]string{
		"ssl.keystore.type": "PEM", "ssl.keystore.location": key,
		"ssl.truststore.type": "PEM", "ssl.truststore.location": c.ca,
	}
}

func (c certificates) clientConfig(withCert bool) *tls.Config {
	config := &tls.Config{RootCAs: c.roots}
	if withCert {
		config.Certificates = []tls.Certificate{c.client}
	}
	return config
}

// authority signs certificates.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	pem  []byte
}

func newAuthority() (*authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := certificateFor("authority")
	template.IsCA, template.BasicConstraintsValid = true, true
	template.KeyUsage = x509.KeyUsageCertSign
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, err
	}
	cert, err := x509.ParseCertificate(der)
	return &authority{cert: cert, key: key, pem: pemBlock("CERTIFICATE", der)}, err
}

// issue makes a certificate and its key, in PEM.
func (a *authority) issue(name string) (cert, key []byte, err error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	template := certificateFor(name)
	template.KeyUsage = x509.KeyUsageDigitalSignature
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}
	template.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1)}
	template.DNSNames = []string{"localhost"}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, private.Public(), a.key)
	if err != nil {
		return nil, nil, err
	}
	pkcs8, err := x509.MarshalPKCS8PrivateKey(private)
	return pemBlock("CERTIFICATE", der), pemBlock("PRIVATE KEY", pkcs8), err
}

func certificateFor(name string) *x509.Certificate {
	now := time.Now()
	return &x509.Certificate{
		SerialNumber: big.NewInt(now.UnixNano()),
		Subject:      pkix.Name{CommonName: name},
		NotBefore:    now.Add(-time.Hour), NotAfter: now.Add(24 * time.Hour),
	}
}

func pemBlock(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}
