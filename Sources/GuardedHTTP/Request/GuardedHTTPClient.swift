internal import HTTPTransfers
internal import Synchronization

/// An HTTP client for URLs that tenants set: it connects only to allowed addresses.
///
/// The host is looked up once for each request and all its addresses are checked. The connection goes to one of them,
/// or to the next if it cannot be established. The client below gets the address beside the name (TLS and `Host`
/// still use the name), so a name server that responds differently the second time is never asked again. Redirects are
/// not followed, responses have a size limit, and one deadline covers everything. An outbound proxy receives the
/// checked address, not the name. Thread-safe.
package final class GuardedHTTPClient: Sendable {
    /// The maximum of addresses of a name that are tried for one request: a name must not make the gateway connect to a
    /// thousand hosts.
    private static let maxDialled = 4
    /// The connect timeout with several addresses: the others need time, too.
    private static let severalTimeout = Duration.seconds(3)
    /// The connect timeout through a proxy, below the timeouts of requests, so that a slow proxy is reported as such.
    private static let proxyTimeout = Duration.seconds(4)

    /// The guard for addresses.
    package let addresses: AddressGuard
    /// The outbound proxy; nil for none.
    package let proxy: OutboundProxy?
    private let client: TransferClient
    private let maxIdle: Int
    /// The last address of each host that may have an idle connection, least recently used first.
    private let recent = Mutex<[(host: String, address: InternetAddress)]>([])

    /// Creates a client; it connects with its first request.
    ///
    /// A PEM file may have trusted roots in addition to the system's. At most `maxIdle` hosts have an idle connection
    /// for the next request; with 0 each request opens a new one.
    package init(
        resolver: any HostResolver,
        trustRootsFile: String? = nil,
        policy: AddressPolicy,
        proxy: OutboundProxy? = nil,
        maxIdle: Int
    ) {
        addresses = AddressGuard(resolver: resolver, policy: policy)
        self.proxy = proxy
        self.maxIdle = maxIdle
        client = TransferClient(trustRootsFile: trustRootsFile, maxIdleConnections: maxIdle)
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
        let deadline = ContinuousClock.now + request.timeout
        var left = try await lookUp(request)
        for _ in 1..<Self.maxDialled where left.count > 1 {
            let address = address(for: request, among: left)
            do throws(TransferFailure) {
                return try await send(request, to: address, timeout: Self.severalTimeout, until: deadline)
            } catch {
                // A request that may have arrived is not sent twice, and a host with a wrong certificate is not
                // skipped.
                guard !error.mayHaveSent, ![.tls, .proxyCredentials].contains(error.reason), deadline > .now else {
                    throw GuardedFailure(error)
                }
            }
            left.removeAll { $0 == address }
        }
        let timeout = left.count > 1 ? Self.severalTimeout : .seconds(10)
        do throws(TransferFailure) {
            return try await send(request, to: address(for: request, among: left), timeout: timeout, until: deadline)
        } catch {
            throw GuardedFailure(error)
        }
    }

    /// Closes the idle connections; requests in flight end first.
    package func close() async { await client.close(isCancelling: false) }

    /// Returns all addresses of the host, checked.
    private func lookUp(_ request: GuardedRequest) async throws(GuardedFailure) -> [InternetAddress] {
        let result = await withTaskGroup(of: Result<[InternetAddress], GuardedFailure>.self) { group in
            group.addTask { [addresses] in
                do throws(GuardedFailure) {
                    return .success(try await addresses.addresses(of: request.url, for: request.owner))
                } catch { return .failure(error) }
            }
            group.addTask {
                try? await Task.sleep(for: request.timeout)
                return .failure(.timeout)
            }
            let first = await group.next() ?? .failure(.timeout)
            group.cancelAll()
            return first
        }
        return try result.get()
    }

    /// Returns the address for a request: for a first attempt one that may have an idle connection.
    private func address(for request: GuardedRequest, among addresses: [InternetAddress]) -> InternetAddress {
        let known = recent.withLock { recent in recent.last { $0.host == request.url.host }?.address }
        if request.attempt == 0, let known, addresses.contains(known) { return known }
        return addresses[request.attempt % addresses.count]
    }

    /// Sends a request to a checked address.
    ///
    /// This host itself is never reached through the proxy.
    private func send(
        _ request: GuardedRequest,
        to address: InternetAddress,
        timeout: Duration,
        until deadline: ContinuousClock.Instant
    ) async throws(TransferFailure) -> GuardedResponse {
        var message = TransferRequest("GET", request.url.text, headers: request.headers, timeout: deadline - .now)
        if case .post(let body) = request.method { (message.method, message.body) = ("POST", body) }
        message.address = address.description
        message.connectTimeout = timeout
        // A request that failed on a connection is tried on another.
        message.needsNewConnection = request.attempt > 0
        if let proxy, !request.url.isLoopback, proxy.isUsed(for: request.url.host) {
            message.proxy = proxy.transferProxy
            message.connectTimeout = min(timeout, Self.proxyTimeout)
        }
        let response: TransferResponse
        switch request.responseBody {
        case .read(let maxBytes): response = try await client.send(message, maxBodyBytes: maxBytes)
        case .drained(let maxBytes):
            let (head, body) = try await client.stream(message)
            _ = try? await body.collect(upTo: maxBytes)
            response = head
        }
        recent.withLock { recent in
            recent.removeAll { $0.host == request.url.host }
            recent.append((request.url.host, address))
            recent.removeFirst(max(recent.count - maxIdle, 0))
        }
        return GuardedResponse(response)
    }
}
