import FoundationEssentials
import GatewayModel
import GuardedHTTP
import HTTPTransfers
import NIOCore
import PushPayloads

/// Exchanges assertions for access tokens (ProviderFacts page, B1, RFC 7523).
struct TokenEndpoint: Sendable {
    /// The content of a successful response.
    struct Grant: Sendable {
        var accessToken: String
        var expiresInSeconds: Int64
    }

    /// The HTTP client for the endpoint.
    enum Client: Sendable {
        /// Without address checks: the instance's administrator set the endpoint; nil connects directly.
        case open(TransferClient, OutboundProxy?)
        /// With address checks, for an endpoint that this brand, a tenant, set.
        case guarded(GuardedHTTPClient, BrandID)

        /// Whether addresses are checked.
        var isGuarded: Bool { if case .guarded = self { true } else { false } }
    }

    private static let maxBodyBytes = 65_536
    private static let headers: [(name: String, value: String)] = [
        ("content-type", "application/x-www-form-urlencoded"), ("accept", "application/json"),
    ]

    let client: Client
    let url: String
    let timeout: TimeAmount

    /// The host, with the port if given, for operators.
    private var name: String {
        guard let url = URL(string: url), let host = url.host else { return "" }
        return url.port.map { "\(host):\($0)" } ?? host
    }

    /// Requests a token with a signed assertion; the future has the grant or a ``TokenFetchFailure``.
    func fetch(assertion: String, on eventLoop: any EventLoop) -> EventLoopFuture<Result<Grant, TokenFetchFailure>> {
        // Base64url and dots need no encoding in a form.
        let form = "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=" + assertion
        return eventLoop.makeFutureWithTask {
            switch client {
            case .open(let client, let proxy): await fetch(form, by: client, through: proxy)
            case .guarded(let client, let brand): await fetch(form, by: client, for: brand)
            }
        }
    }

    private func fetch(
        _ form: String,
        by client: GuardedHTTPClient,
        for brand: BrandID
    ) async -> Result<Grant, TokenFetchFailure> {
        let name = name
        let url: GuardedURL
        do { url = try client.url(self.url) } catch {
            return .failure(.unreachable(endpoint: name, error.text))
        }
        let request = GuardedRequest(
            url: url,
            method: .post(Array(form.utf8)),
            headers: Self.headers,
            responseBody: .read(maxBytes: Self.maxBodyBytes),
            timeout: .nanoseconds(timeout.nanoseconds),
            owner: brand.rawValue
        )
        do {
            let response = try await client.send(request)
            return Self.read(status: response.status, body: response.body, name: name)
        } catch {
            switch (error, client.proxy) {
            case (.proxy, let proxy?): return .failure(.proxy("\(proxy)", endpoint: name, "it does not connect"))
            case (.proxyCredentials, let proxy?):
                return .failure(.proxy("\(proxy)", endpoint: name, "it does not accept its credentials (407)"))
            default: return .failure(.unreachable(endpoint: name, error.rawValue))
            }
        }
    }

    private func fetch(
        _ form: String,
        by client: TransferClient,
        through proxy: OutboundProxy?
    ) async -> Result<Grant, TokenFetchFailure> {
        var request = TransferRequest(
            "POST",
            url,
            headers: Self.headers,
            body: Array(form.utf8),
            timeout: .nanoseconds(timeout.nanoseconds)
        )
        request.proxy = proxy?.transferProxy
        do {
            let response = try await client.send(request, maxBodyBytes: Self.maxBodyBytes)
            return Self.read(status: response.status, body: response.body, name: name)
        } catch {
            guard let proxy else { return .failure(.unreachable(endpoint: name, "\(error)")) }
            guard let text = error.reason.ofProxy else {
                return .failure(.unreachable(endpoint: name, "\(error), through the proxy \(proxy)"))
            }
            return .failure(.proxy("\(proxy)", endpoint: name, text))
        }
    }

    static func read(status: Int, body: [UInt8], name: String) -> Result<Grant, TokenFetchFailure> {
        let response = JSONValue(body: body)
        guard status == 200 else {
            guard (400...499).contains(status), let code = response?["error"]?.text, isErrorCode(code) else {
                return .failure(.status(endpoint: name, status))
            }
            return .failure(.refused(endpoint: name, code: code))
        }
        guard let token = response?["access_token"]?.text, !token.isEmpty, token.utf8.count <= 8192,
            token.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { return .failure(.malformed(endpoint: name)) }
        // RFC 6749 section 5.1 only recommends expires_in; Google's tokens are valid for an hour.
        let seconds = min(max(response?["expires_in"]?.integer ?? 3600, 1), 86_400)
        return .success(Grant(accessToken: token, expiresInSeconds: seconds))
    }

    /// Whether a text may be an error code: those of RFC 6749 are lower-case words; nothing else is passed on.
    private static func isErrorCode(_ code: String) -> Bool {
        !code.isEmpty && code.utf8.count <= 64
            && code.utf8.allSatisfy { ($0 >= 0x61 && $0 <= 0x7A) || $0 == UInt8(ascii: "_") }
    }
}
