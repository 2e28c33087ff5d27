import Foundation
import NIOCore
import NIOHTTP1
import SwitchboardClient

/// The server and the request head of an upgrade.
struct WindowTarget: Sendable {
    /// The host name, or an address without brackets.
    let host: String
    let port: Int
    let isSecure: Bool
    let head: HTTPRequestHead

    /// Reads the target of a request.
    ///
    /// - Parameter request: The request of the upgrade.
    /// - Throws: `invalidRequest` if its URL is not absolute.
    init(_ request: HTTPRequest) throws(SwitchboardError) {
        guard let components = URLComponents(url: request.url, resolvingAgainstBaseURL: false),
            let named = components.host, !named.isEmpty, let scheme = components.scheme?.lowercased(),
            ["http", "https"].contains(scheme)
        else { throw SwitchboardError(.invalidRequest, "the address of the gateway is not an absolute one of HTTP") }
        let host = named.hasPrefix("[") ? String(named.dropFirst().dropLast()) : named
        self.host = host
        isSecure = scheme == "https"
        port = components.port ?? (isSecure ? 443 : 80)
        let path = components.percentEncodedPath
        var uri = path.isEmpty ? "/" : path
        if let query = components.percentEncodedQuery { uri += "?" + query }
        var headers = HTTPHeaders()
        let authority = host.contains(":") ? "[\(host)]" : host
        headers.add(name: "Host", value: components.port.map { "\(authority):\($0)" } ?? authority)
        for (name, value) in request.headers.sorted(by: { $0.key < $1.key }) { headers.add(name: name, value: value) }
        head = HTTPRequestHead(version: .http1_1, method: .GET, uri: uri, headers: headers)
    }
}
