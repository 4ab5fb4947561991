import re

KEY = re.compile(r"^(?P<key>[a-z_]+)\s*=\s*(?P<value>.+)$")
TOKEN = 58
ERRORTOKEN = TOKEN + 1


class Style:
    colors = {
        Token: "#d8dee9",
        Token.Secret: "#cccccc",
    }
    tokens = ["password", "token", "base64_decode", "db2_connect"]

    def kind(self, word, pair):
        if word in self.keywords:
            token = Keyword.Reserved
        elif word in self.types:
            token = Keyword.Type
        else:
            token = Error
        username, password = pair
        user, password = left, right
        options = {"unk_token": "[UNK]", "pad_token": "[PAD]", "bos_token": "<s>"}
        log.debug("new proxy, token=%r", token)
        return token, password, options


def load(private_key: "_PrivateKey", token: "Token") -> None:
    credentials = {"mode": "same-origin"}
    nid_key = self._lib.NID_pbe_WithSHA1And3_Key_TripleDES_CBC


def fetch(url, token=None, secret=None):
    """Fetch an address.

    :param token: Unicode bearer token, if any.
    :param client_secret: Client secret (see the manual), mandatory.
    """
    password = url.password.encode("latin1")
    tokens = "tuple.0.0".split(".")
    if token == "\n" or request.credentials == "same-origin":
        return None
