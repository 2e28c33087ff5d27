package import AsyncHTTPClient
package import GatewayModel
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import PushPayloads
import Synchronization

/// Posts over HTTP, to addresses that were checked.
///
/// The host is looked up once for each try, all its addresses are checked, and the connection goes to the one that was
/// chosen: the client is told the address in place of the name (TLS and `Host` still carry the name), so that a name server
/// that answers differently the second time is never asked a second time.
package final class HTTPWebhookSender: WebhookSender {
    /// For a whole try: look-up, connection, request and answer.
    package static let timeoutSeconds: Int64 = 15
    /// What is read of an answer's body, so that the connection can be used again.
    package static let maxAnswerBytes = 64 << 10

    private struct Connection {
        var host: String
        var address: InternetAddress
        var client: HTTPClient
    }

    private let resolver: any HostResolver
    private let configuration: HTTPClient.Configuration
    private let allowsPrivate: Bool
    private let connection = Mutex<Connection?>(nil)

    /// Makes a sender; nothing is dialled yet.
    ///
    /// - Parameters:
    ///   - resolver: Looks names up.
    ///   - configuration: Trust roots and the like; must not follow redirects.
    ///   - allowsPrivate: Whether private networks may be reached.
    package init(resolver: any HostResolver, configuration: HTTPClient.Configuration, allowsPrivate: Bool) {
        self.resolver = resolver
        self.configuration = configuration
        self.allowsPrivate = allowsPrivate
    }

    /// Posts a batch; see ``WebhookSender``.
    ///
    /// - Parameters:
    ///   - batch: The batch.
    ///   - target: Where it goes.
    ///   - attempt: How often it was tried before.
    ///   - time: The time of the try.
    /// - Returns: How it ended, after ``timeoutSeconds`` at most; a look-up that hangs in the system is waited for.
    package func post(
        _ batch: WebhookBatch,
        to target: WebhookTarget,
        attempt: Int,
        at time: Timestamp
    ) async -> WebhookAnswer {
        await withTaskGroup(of: WebhookAnswer.self) { group in
            group.addTask { await self.tryPost(batch, target, attempt, time) }
            group.addTask {
                try? await Task.sleep(for: .seconds(Self.timeoutSeconds))
                return .failed(.timeout)
            }
            let answer = await group.next() ?? .failed(.timeout)
            group.cancelAll()
            return answer
        }
    }

    /// Closes its connection.
    package func close() async { await replace(nil) }

    private func tryPost(
        _ batch: WebhookBatch,
        _ target: WebhookTarget,
        _ attempt: Int,
        _ time: Timestamp
    ) async -> WebhookAnswer {
        guard let url = try? WebhookURL(target.url, allowsPrivate: allowsPrivate) else {
            return .failed(.forbiddenAddress)
        }
        let client: HTTPClient
        switch await self.client(for: url, attempt: attempt) {
        case .success(let found): client = found
        case .failure(let failure): return .failed(failure.reason)
        }
        var request = HTTPClientRequest(url: url.text)
        request.method = .POST
        request.headers = [
            "content-type": "application/json", "user-agent": "switchboard", "webhook-id": batch.id,
            "webhook-timestamp": String(time.seconds),
            "webhook-signature": WebhookSignature.header(batch, at: time, keys: target.keys),
        ]
        request.body = .bytes(ByteBuffer(bytes: batch.body))
        do {
            let response = try await client.execute(request, deadline: .now() + .seconds(Self.timeoutSeconds))
            // The status has decided; what cannot be read of the rest only costs the connection.
            _ = try? await response.body.collect(upTo: Self.maxAnswerBytes)
            return .answered(
                status: Int(response.status.code),
                retryAfterSeconds: RetryAfter.seconds(response.headers.first(name: "retry-after"), now: time)
            )
        } catch {
            return .failed(Self.failure(error))
        }
    }

    private struct Refused: Error {
        var reason: WebhookAnswer.Failure
    }

    /// The client that only knows the checked address.
    private func client(for url: WebhookURL, attempt: Int) async -> Result<HTTPClient, Refused> {
        let addresses: [InternetAddress]
        if let literal = url.literal {
            addresses = [literal]
        } else {
            addresses = await resolver.addresses(of: url.host)
        }
        guard !addresses.isEmpty else { return .failure(Refused(reason: .unresolved)) }
        for address in addresses {
            do {
                try WebhookURL.check(address, isLoopback: url.isLoopback, allowsPrivate: allowsPrivate)
            } catch { return .failure(Refused(reason: .forbiddenAddress)) }
        }
        let known = connection.withLock { $0 }
        if let known, known.host == url.host, addresses.contains(known.address), attempt == 0 {
            return .success(known.client)
        }
        let address = addresses[attempt % addresses.count]
        var configuration = configuration
        configuration.dnsOverride = [url.host: address.description]
        let client = HTTPClient(eventLoopGroup: MultiThreadedEventLoopGroup.singleton, configuration: configuration)
        await replace(Connection(host: url.host, address: address, client: client))
        return .success(client)
    }

    private func replace(_ next: Connection?) async {
        let old = connection.withLock { connection in
            defer { connection = next }
            return connection
        }
        try? await old?.client.shutdown()
    }

    private static func failure(_ error: any Error) -> WebhookAnswer.Failure {
        switch error {
        case is NIOSSLError, is BoringSSLError, is NIOSSLExtraError: .tls
        case let error as HTTPClientError:
            [.deadlineExceeded, .connectTimeout, .readTimeout, .tlsHandshakeTimeout].contains(error)
                ? .timeout : .unreachable
        default: .unreachable
        }
    }
}
