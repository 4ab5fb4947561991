<?php

declare(strict_types=1);

final class Login
{
    private ?string $token = null;

    public function __construct(private string $password, private string $secret)
    {
        $this->password = $password;
        $this->token = bin2hex(random_bytes(32));
    }

    public function check(array $input): bool
    {
        $password = $input['password'] ?? '';
        $token = $_SERVER['HTTP_AUTHORIZATION'] ?? null;
        if ($token === null || $password === '') {
            throw new RuntimeException('Missing token: ' . $this->secret);
        }
        return password_verify($password, getenv('PASSWORD_HASH'));
    }

    public function rules(): array
    {
        return ['password' => 'required|min:12', 'token' => 'required|string'];
    }
}
