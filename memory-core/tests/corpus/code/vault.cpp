#include <map>
#include <memory>
#include <optional>
#include <string>

namespace vault {

class Secret {
public:
    explicit Secret(std::string secret) : secret_(std::move(secret)) {}
    const std::string& reveal() const { return secret_; }

private:
    std::string secret_;
};

struct Login {
    std::string user;
    std::string password;
    std::optional<std::string> token;
};

class Vault {
public:
    bool open(const Login& login, const std::string& key = std::string()) {
        const auto password = hash(login.password);
        auto token = login.token.value_or("");
        auto secret = std::make_unique<Secret>(password + token);
        token_ = token.empty() ? issue_token() : token;
        secrets_[key] = std::move(secret);
        return !token_.empty();
    }

private:
    std::string issue_token() {
        Token token{Token::Kind::Bearer};
        return token.text;
    }

    struct Token {
        enum class Kind { Bearer, Basic };
        Kind kind;
        std::string text;
    };

    std::map<std::string, std::unique_ptr<Secret>> secrets_;
    std::string token_;
};

} // namespace vault
