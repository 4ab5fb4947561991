package org.example.login

import kotlinx.coroutines.flow.StateFlow

data class Credentials(
    val user: String,
    val password: String,
    val token: String? = null,
    val secret: ByteArray = ByteArray(0),
)

class LoginViewModel(private val api: Api, private val tokens: TokenStore) {
    private var token: String? = null
    val password: StateFlow<String> = api.password

    suspend fun login(user: String, password: String): Result<Token> {
        val secret = tokens.secret()
        val response = api.login(user = user, password = password, secret = secret)
        val token = response.token ?: return Result.failure(IllegalStateException("no token"))
        this.token = token
        tokens.save(key = "token", token = token)
        return Result.success(Token(token))
    }

    fun header(): Pair<String, String> = "Authorization" to "Bearer $token"

    companion object {
        const val KEY = "login"
        val apiKey: String = BuildConfig.API_KEY
    }
}
