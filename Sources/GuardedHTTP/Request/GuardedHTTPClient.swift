package import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTP1
internal import NIOSSL
internal import Synchronization

/// An HTTP client for URLs that tenants set: it connects only to allowed addresses.
///
/// The host is looked up once for each request and all its addresses are checked. The connection goes to one of them,
/// or to the next if it cannot be established. The client below gets the address in place of the name (TLS and `Host`
/// still use the name), so a name server that responds differently the second time is never asked again. Redirects are
/// not followed, responses have a size limit, and one deadline covers everything. An outbound proxy receives the
/// checked address, not the name. Thread-safe.
package final class GuardedHTTPClient: Sendable {
    /// The maximum of addresses of a name that are tried for one request: a name must not make the gateway connect to a
    /// thousand hosts.
    private static let maxDialled = 4

    /// The guard for addresses.
    package let addresses: AddressGuard
    /// The outbound proxy; nil for none.
    package let proxy: OutboundProxy?
    private let pool: PinnedClients

    /// Creates a client; it connects with its first request.
    ///
    /// Redirects, proxy and decompression of `configuration` are switched off here. At most `maxIdle` hosts have an
    /// idle connection for the next request; with 0 each request opens a new one.
    package init(
        resolver: any HostResolver,
        configuration: HTTPClient.Configuration,
        policy: AddressPolicy,
        proxy: OutboundProxy? = nil,
        maxIdle: Int
    ) {
        var configuration = configuration
        configuration.redirectConfiguration = .disallow
        configuration.proxy = nil
        // A small response could expand to a large one.
        configuration.decompression = .disabled
        addresses = AddressGuard(resolver: resolver, policy: policy)
        self.proxy = proxy
        pool = PinnedClients(configuration: configuration, proxy: proxy, maxIdle: maxIdle)
    }

    /// Parses and checks a URL for this client; throws ``GuardedURL/Rejection``.
    package func url(_ text: String) throws(GuardedURL.Rejection) -> GuardedURL {
        try addresses.url(text)
    }

    /// Sends a request, once, and returns the response with any status: another address of the name is tried only if no
    /// connection was established.
    ///
    /// - Throws: ``GuardedFailure``, after the request's timeout at most; ``GuardedFailure/timeout`` when the task is
    ///   cancelled.
    package func send(_ request: GuardedRequest) async throws(GuardedFailure) -> GuardedResponse {
        let head = Head()
        let result = await withTaskGroup(of: Result<GuardedResponse, GuardedFailure>.self) { group in
            group.addTask { await self.exchange(request, head) }
            group.addTask {
                try? await Task.sleep(for: request.timeout)
                return .failure(.timeout)
            }
            let first = await group.next() ?? .failure(.timeout)
            group.cancelAll()
            return first
        }
        if case .failure = result, case .drained = request.responseBody, let response = head.response {
            return response
        }
        return try result.get()
    }

    /// Closes the idle connections; requests in flight end first.
    package func close() async { await pool.close() }

    /// The head of a response whose body is being received.
    private final class Head: Sendable {
        private let state = Mutex<GuardedResponse?>(nil)

        var response: GuardedResponse? { state.withLock { $0 } }

        func receive(_ response: GuardedResponse) { state.withLock { $0 = response } }
    }

    private func exchange(
        _ request: GuardedRequest,
        _ head: Head
    ) async -> Result<GuardedResponse, GuardedFailure> {
        let found: [InternetAddress]
        do { found = try await addresses.addresses(of: request.url, for: request.owner) } catch {
            return .failure(error)
        }
        var (left, result) = (found, Result<GuardedResponse, GuardedFailure>.failure(.unreachable))
        for _ in 0..<Self.maxDialled where !left.isEmpty {
            let client = pool.take(url: request.url, addresses: left, attempt: request.attempt)
            result = await Self.execute(request, client, head)
            let mayHaveSent = client.connections.wereMade
            await pool.release(client)
            // A request that may have arrived is not sent twice, and a host with a wrong certificate is not skipped.
            guard case .failure(let failure) = result, [.unreachable, .timeout, .proxy].contains(failure), !mayHaveSent,
                !Task.isCancelled
            else { return result }
            left.removeAll { $0 == client.address }
        }
        return result
    }

    private static func execute(
        _ request: GuardedRequest,
        _ client: PinnedClients.Pinned,
        _ head: Head
    ) async -> Result<GuardedResponse, GuardedFailure> {
        var message = HTTPClientRequest(url: request.url.text)
        if case .post(let body) = request.method {
            message.method = .POST
            message.body = .bytes(ByteBuffer(bytes: body))
        }
        message.headers = HTTPHeaders(request.headers.map { ($0.name, $0.value) })
        do {
            let response = try await client.client.execute(message, deadline: .now() + TimeAmount(request.timeout))
            let status = Int(response.status.code)
            let guarded = GuardedResponse(status: status, body: [], headers: response.headers)
            head.receive(guarded)
            switch request.responseBody {
            case .drained(let limit):
                _ = try? await response.body.collect(upTo: limit)
                return .success(guarded)
            case .read(let limit):
                let body = try await response.body.collect(upTo: limit)
                return .success(
                    GuardedResponse(status: status, body: Array(body.readableBytesView), headers: response.headers)
                )
            }
        } catch {
            return .failure(GuardedFailure(error, isProxyDue: client.isProxyDue))
        }
    }
}

extension GuardedFailure {
    /// Determines the failure of a request; if `isProxyDue`, the client had connected only to the proxy, if at all.
    fileprivate init(_ error: any Error, isProxyDue: Bool) {
        if isProxyDue, let failure = OutboundProxyFailure(error) {
            self = failure == .credentials ? .proxyCredentials : .proxy
            return
        }
        self =
            switch error {
            case is NIOSSLError, is BoringSSLError, is NIOSSLExtraError: .tls
            case is NIOTooManyBytesError: .tooLarge
            case is CancellationError: .timeout
            case let error as HTTPClientError:
                [.deadlineExceeded, .connectTimeout, .readTimeout, .tlsHandshakeTimeout, .cancelled].contains(error)
                    ? .timeout : isProxyDue ? .proxy : .unreachable
            default: isProxyDue ? .proxy : .unreachable
            }
    }
}
