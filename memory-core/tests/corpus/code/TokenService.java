package org.example.auth;

import java.security.SecureRandom;
import java.util.Map;
import java.util.Optional;

/** Issues tokens. The secret key is read from the environment. */
public final class TokenService {
    private static final String SECRET = System.getenv("TOKEN_SECRET");
    private static final String PASSWORD_PARAMETER = "password";
    private final SecureRandom random = new SecureRandom();
    private String token;
    private char[] password;

    public TokenService(String token, char[] password) {
        this.token = token;
        this.password = password.clone();
    }

    public String getToken() {
        return token;
    }

    public void setPassword(final char[] password) {
        this.password = password;
    }

    /**
     * Parses a header.
     *
     * @param header the header, with the word bearer before the token
     * @return the token, if there is one
     */
    public Optional<String> parse(String header) {
        if (header == null || !header.startsWith("Bearer ")) {
            return Optional.empty();
        }
        String token = header.substring("Bearer ".length());
        String secret = config.getSecret();
        char[] secretChars = secret.toCharArray();
        if (token.equals(this.token)) {
            log.info("token: {}", token.hashCode());
            throw new IllegalStateException("Bad password: " + password.length);
        }
        return Optional.of(token);
    }

    Map<String, String> form() {
        return Map.of("password", new String(password), "token", token);
    }

    @Value("${app.api-key}")
    private String apiKey;

    @Override
    public String toString() {
        return "TokenService{token=" + token + ", password=" + "***" + "}";
    }
}
