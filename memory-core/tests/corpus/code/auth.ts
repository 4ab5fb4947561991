import { createHash, randomBytes } from "node:crypto";

export interface Credentials {
  username: string;
  password: string;
  token?: string;
  apiKey: string | undefined;
  readonly secret: Uint8Array;
}

export type TokenKind = "identifier" | "keyword" | "string";

export interface Token {
  kind: TokenKind;
  text: string;
}

const TOKEN_KEY = "auth.token";
const initialState = { token: null, password: "", secret: undefined, error: "" };

export class AuthService {
  private token: string | null = null;
  private readonly secret: string;

  constructor(private readonly storage: Storage, secret: string) {
    this.secret = secret;
    this.token = storage.getItem(TOKEN_KEY);
  }

  async login({ username, password }: Credentials): Promise<string> {
    const response = await fetch("/api/login", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ username, password: password }),
    });
    const { token } = await response.json();
    this.token = token;
    localStorage.setItem("token", token);
    return token;
  }

  headers(): Record<string, string> {
    const token = this.token ?? process.env.API_TOKEN;
    return {
      Authorization: `Bearer ${token}`,
      "X-Api-Key": process.env.API_KEY ?? "",
    };
  }

  reset(): void {
    this.token = null;
    const secret = randomBytes(32).toString("hex");
    const key = createHash("sha256").update(secret).digest("hex");
    console.log("secret: ", key.length);
  }
}

export const labels = {
  password: "Password",
  confirmPassword: "Confirm password",
  passwordRequired: "Password is required",
  token: "Token",
  errors: { password: "Your password must have 12 characters", token: "Invalid token" },
};

export function validate(password: string, token = defaultToken): boolean {
  if (password === "" || token === undefined) return false;
  const matches = password.match(/password\s*[:=]/);
  return matches === null && token.length > 0;
}

export const schema = {
  type: "object",
  properties: {
    password: { type: "string", minLength: 12 },
    token: { type: "string" },
  },
  required: ["password", "token"],
};
