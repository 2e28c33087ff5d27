import Foundation

/// The credential that a test sends.
enum Credential: Sendable, CustomStringConvertible {
    case none
    case admin
    case basic(String, String)
    case bearer(String)
    case raw(String)

    /// The `Authorization` header.
    var header: String? {
        switch self {
        case .none: nil
        case .admin: "Bearer \(TestGateway.adminToken)"
        case .basic(let user, let password): "Basic \(Data("\(user):\(password)".utf8).base64EncodedString())"
        case .bearer(let token): "Bearer \(token)"
        case .raw(let text): text
        }
    }

    var description: String {
        switch self {
        case .none: "none"
        case .admin: "admin"
        case .basic: "basic"
        case .bearer: "bearer"
        case .raw(let text): text
        }
    }
}
