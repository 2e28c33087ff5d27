/// The push proxy of a brand, which sends an app's pushes in place of the gateway (ComingFromLivePerson page).
package struct PushProxySettings: Codable, Equatable, Sendable {
    /// The credentials of HTTP Basic (RFC 7617).
    package struct Basic: Codable, Equatable, Sendable {
        /// The user name: without a colon.
        package var username: String
        /// The password: secret.
        package var password: String

        /// Creates credentials.
        package init(username: String, password: String) {
            self.username = username
            self.password = password
        }
    }

    /// The maximum of ``headers``, as at LivePerson.
    package static let maxHeaders = 4
    /// The maximum length of a header's name, in ASCII letters, as at LivePerson.
    package static let headerNameBytes = 24
    /// The maximum length of a header's value, in bytes, as at LivePerson.
    package static let headerValueBytes = 300
    /// The maximum length of a user name or password, in bytes.
    package static let basicBytes = 256

    /// The https URL to which each push is posted.
    package var url: String
    /// The credentials, if the proxy takes Basic.
    package var basic: Basic?
    /// Further header fields by name; the values are secret.
    package var headers: [String: String]?

    /// Creates settings.
    package init(url: String, basic: Basic? = nil, headers: [String: String]? = nil) {
        self.url = url
        self.basic = basic
        self.headers = headers
    }
}
