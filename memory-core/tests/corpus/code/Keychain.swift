import Foundation

struct Login: Codable {
    let user: String
    let password: String
    var token: String?
    var secret: Data
}

enum KeychainError: Error {
    case missing(key: String)
}

final class Keychain {
    private var token: String?
    private let secret: SymmetricKey

    init(secret: SymmetricKey, token: String? = nil) {
        self.secret = secret
        self.token = token
    }

    func store(password: String, for key: String) throws {
        guard let data = password.data(using: .utf8) else { throw KeychainError.missing(key: key) }
        let query: [String: Any] = [
            kSecAttrAccount as String: key,
            kSecValueData as String: data,
        ]
        SecItemAdd(query as CFDictionary, nil)
    }

    func request(_ url: URL) -> URLRequest {
        var request = URLRequest(url: url)
        if let token = token {
            request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        }
        let password = UserDefaults.standard.string(forKey: "password") ?? ""
        print("password: \(password.count), token: \(token ?? "none")")
        return request
    }
}
