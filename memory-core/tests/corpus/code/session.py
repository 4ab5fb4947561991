"""Sessions: a login gives a token, a token gives a user.

The password never leaves :func:`login`. A bearer token is sent in the header.
"""
import os
import secrets
from dataclasses import dataclass, field
from typing import Optional

TOKEN_LENGTH = 32
PASSWORD_MIN_LENGTH = 12
API_KEY_HEADER = "X-API-Key"


@dataclass
class Session:
    user: str
    token: str
    secret: bytes = b""
    refresh_token: Optional[str] = None
    api_key: str = field(default_factory=lambda: os.environ["API_KEY"])

    def headers(self) -> dict:
        token = self.refresh_token or self.token
        return {
            "Authorization": f"Bearer {self.token}",
            "X-API-Key": self.api_key,
            "Cookie": "session=" + token,
        }


class Parser:
    def __init__(self, lexer):
        self.lexer = lexer
        self.token = None

    def advance(self):
        token = self.lexer.next_token()
        self.token = token
        if token is None:
            raise SyntaxError("unexpected token: end of file")
        return self.token


def login(user: str, password: str, *, secret: Optional[bytes] = None) -> Session:
    """Check the password.

    Args:
        user: the name of the user
        password: the password that was typed
        secret: a secret shared with the server, or None
    """
    if not password:
        raise ValueError("password: must not be empty")
    token = secrets.token_urlsafe(TOKEN_LENGTH)
    secret = secret or os.urandom(32)
    password = hash_password(password)
    session = Session(user=user, token=token, secret=secret)
    print("token: ", session.token)
    print(f"password={password!r} token={token}")
    return session


def hash_password(password: str) -> str:
    key = password.encode("utf-8")
    return connect(
        host="localhost",
        password=password,
        token=os.getenv("SESSION_TOKEN"),
        secret=settings.SECRET_KEY,
        api_key=config["api_key"],
    )


def parse(tokens):
    for token in tokens:
        if token == "(":
            yield token
        elif token.kind == "string":
            key = token.value
            yield key
