#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOKEN_MAX 64
#define PASSWORD_PROMPT "Password: "

enum token_kind { TOKEN_WORD, TOKEN_NUMBER, TOKEN_END };

struct token {
    enum token_kind kind;
    char text[TOKEN_MAX];
};

struct account {
    char password[128];
    const char *api_key;
    unsigned char secret[32];
};

static struct token *next_token(const char **cursor)
{
    struct token *token = malloc(sizeof *token);
    char *key = strchr(*cursor, '=');
    if (token == NULL)
        return NULL;
    token->kind = key ? TOKEN_WORD : TOKEN_END;
    return token;
}

int login(struct account *account, const char *password)
{
    char *secret = getenv("APP_SECRET");
    const char *token = strtok((char *)password, ":");
    account->api_key = getenv("API_KEY");
    if (secret == NULL || token == NULL) {
        fprintf(stderr, "missing secret: set APP_SECRET\n");
        return -1;
    }
    for (token = strtok(NULL, ":"); token != NULL; token = strtok(NULL, ":"))
        printf("token: %s\n", token);
    memset(account->secret, 0, sizeof account->secret);
    secret = NULL;
    return strcmp(account->password, password) == 0;
}

static const char *const token_names[] = { "token", "symbol2name", "passwd", "x509_reader" };
static struct password *pwd;
void (*secret)(const char *key, int salt);
