using System;
using System.Net.Http.Headers;

namespace Example.Auth
{
    public record Login(string User, string Password, string? Token = null);

    public sealed class TokenHandler
    {
        private readonly string _secret;
        public string Token { get; private set; } = string.Empty;
        public string? Password { get; set; }

        public TokenHandler(IConfiguration configuration)
        {
            _secret = configuration["Jwt:Secret"] ?? throw new InvalidOperationException("secret: missing");
            Token = configuration.GetValue<string>("Token");
        }

        public void Authorize(HttpClient client, CancellationToken token = default)
        {
            client.DefaultRequestHeaders.Authorization = new AuthenticationHeaderValue("Bearer", Token);
            var key = Encoding.UTF8.GetBytes(_secret);
            var secret = new SymmetricSecurityKey(key);
            var password = Password ?? Environment.GetEnvironmentVariable("PASSWORD");
            Console.WriteLine($"token: {Token}, password={password}");
        }
    }
}
