//! A small lexer: the word token stands here in its oldest sense.

use std::collections::HashMap;

#[derive(Debug, Clone, PartialEq)]
pub enum Token {
    Word(String),
    Number(f64),
    End,
}

pub struct Parser<'a> {
    source: &'a str,
    token: Token,
    lookahead: Option<Token>,
    keywords: HashMap<&'static str, Token>,
}

impl<'a> Parser<'a> {
    pub fn new(source: &'a str) -> Self {
        let mut parser = Parser { source, token: Token::End, lookahead: None, keywords: HashMap::new() };
        parser.token = parser.next_token();
        parser
    }

    fn next_token(&mut self) -> Token {
        let token = self.lookahead.take().unwrap_or(Token::End);
        let previous_token = std::mem::replace(&mut self.token, token);
        previous_token
    }

    pub fn expect(&mut self, token: Token) -> Result<(), String> {
        if self.token == token {
            self.token = self.next_token();
            return Ok(());
        }
        Err(format!("unexpected token: {:?}, expected token: {token:?}", self.token))
    }
}

/// Keeps a secret behind an opaque type.
pub struct Secret<T> {
    secret: T,
}

pub fn secret(key: &str) -> Option<Secret<String>> {
    let secret = std::env::var(key).ok()?;
    Some(Secret { secret })
}

pub struct Credentials {
    pub user: String,
    pub password: String,
    pub api_key: Option<String>,
    pub token: Option<&'static str>,
    pub private_key: Vec<u8>,
}

impl Credentials {
    pub fn from_env() -> Self {
        let password = std::env::var("DB_PASSWORD").unwrap_or_default();
        let api_key = std::env::var("API_KEY").ok();
        Credentials { user: String::new(), password: password, api_key, token: None, private_key: Vec::new() }
    }

    pub fn header(&self) -> String {
        match self.token {
            Some(token) => format!("Bearer {token}"),
            None => format!("Basic {}", encode(&self.user, &self.password)),
        }
    }
}

fn encode(user: &str, password: &str) -> String {
    let key = user.len();
    let token: usize = password.len() + key;
    println!("password: {} characters, token={token}", password.len());
    token.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bearer_token_is_written_into_the_header() {
        let token = Some("t");
        let credentials = Credentials { token, ..Credentials::from_env() };
        assert!(credentials.header().starts_with("Bearer "));
    }
}
