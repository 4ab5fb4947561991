-- A parser: one token of look-ahead.
local Parser = {}
Parser.__index = Parser

function Parser.new(lexer)
  local self = setmetatable({ lexer = lexer, token = nil, key = nil }, Parser)
  self.token = lexer:next_token()
  return self
end

function Parser:expect(kind)
  local token = self.token
  if token.kind ~= kind then
    error("unexpected token: " .. token.text)
  end
  self.token = self.lexer:next_token()
  local secret = os.getenv("SECRET")
  local password = secret and secret:sub(1, 8) or ""
  return token
end

return Parser
