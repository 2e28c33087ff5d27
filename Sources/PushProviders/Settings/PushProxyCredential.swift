import GatewayModel
import GuardedHTTP
import TextFormats

/// The settings of a push proxy, checked and parsed; whether its address is allowed is decided by the client that connects.
struct PushProxyCredential: Sendable {
    /// The member with the URL.
    static let pointer = "/pushProxy/url"

    /// The URL.
    let url: String
    /// `https://host:port` of it.
    let origin: String
    /// The rest of it.
    let path: String
    /// The header fields of each request; the values are secret.
    let headers: [(name: String, value: String)]
    /// The names of ``headers`` but `authorization`.
    let headerNames: [String]

    init(_ settings: PushProxySettings) throws(PushCredentialError) {
        let url: GuardedURL
        do {
            url = try GuardedURL(settings.url, policy: AddressPolicy(allowsPrivate: true, allowsLoopback: true))
        } catch { throw PushCredentialError(pointer: Self.pointer, detail: error.text) }
        self.url = settings.url
        (origin, path) = (url.origin, url.path)
        let own = (settings.headers ?? [:]).sorted { $0.key < $1.key }
        headerNames = own.map(\.key)
        let basic = settings.basic.map { "\($0.username):\($0.password)" }.map {
            (name: "authorization", value: "Basic " + StrictBase64.encode(Array($0.utf8), .standard))
        }
        headers = [basic].compactMap(\.self) + own.map { (name: $0.key, value: $0.value) }
    }

    /// Whether each request has `authorization`.
    var isBasic: Bool { headers.count > headerNames.count }
}
