package server

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
)

// ErrToken says that the bearer token is missing.
var ErrToken = errors.New("invalid token: no bearer token in the header")

type Config struct {
	Password string `json:"password" yaml:"password"`
	Token    string `json:"token,omitempty"`
	APIKey   string `json:"api_key"`
	Secret   []byte `json:"-"`
}

func NewToken() (string, error) {
	secret := make([]byte, 32)
	if _, err := rand.Read(secret); err != nil {
		return "", fmt.Errorf("new token: %w", err)
	}
	token := hex.EncodeToString(secret)
	return token, nil
}

func authenticate(r *http.Request, config *Config) error {
	header := r.Header.Get("Authorization")
	token := strings.TrimPrefix(header, "Bearer ")
	if token == "" {
		return ErrToken
	}
	if token != config.Token {
		return fmt.Errorf("wrong token: %d characters", len(token))
	}
	config.Token = token
	r.Header.Set("Authorization", "Bearer "+token)
	return nil
}

func Load() *Config {
	password := os.Getenv("DB_PASSWORD")
	key, ok := os.LookupEnv("API_KEY")
	if !ok {
		key = ""
	}
	return &Config{
		Password: password,
		APIKey:   key,
		Token:    os.Getenv("TOKEN"),
		Secret:   []byte(os.Getenv("SECRET")),
	}
}

func dsn(user, password, host string) string {
	return fmt.Sprintf("postgres://%s:%s@%s/app", user, password, host)
}
