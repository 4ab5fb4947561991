-- Users with a password hash; tokens belong to a session.
CREATE TABLE users (
    id BIGINT PRIMARY KEY,
    email TEXT NOT NULL UNIQUE,
    password VARCHAR(255) NOT NULL,
    api_key TEXT,
    secret BYTEA
);

CREATE TABLE tokens (
    token TEXT PRIMARY KEY,
    user_id BIGINT NOT NULL REFERENCES users (id),
    kind TEXT CHECK (kind IN ('bearer', 'refresh'))
);

CREATE INDEX tokens_user ON tokens (user_id);

SELECT u.email, t.token
FROM users u
JOIN tokens t ON t.user_id = u.id
WHERE t.token = $1
  AND u.password = crypt($2, u.password)
  AND u.api_key = :api_key;

UPDATE users SET password = ?, secret = NULL WHERE id = ?;
INSERT INTO tokens (token, user_id, kind) VALUES ($1, $2, 'bearer');
