internal import CCurl
internal import COpenSSL

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension Exchange {
    /// The seconds after which an idle connection is not used any more.
    private static let maxIdleSeconds = 60
    /// The seconds after which a connection serves no more requests, so that changes of name servers have an effect.
    private static let maxLifetimeSeconds = 600

    /// Sets all options of the handle.
    func configure() throws(TransferFailure) {
        let this = Unmanaged.passUnretained(self).toOpaque()
        try check(switchboard_curl_set_pointer(easy, CURLOPT_PRIVATE, this))
        try check(switchboard_curl_set_pointer(easy, CURLOPT_WRITEDATA, this))
        try check(switchboard_curl_set_pointer(easy, CURLOPT_HEADERDATA, this))
        try check(switchboard_curl_set_pointer(easy, CURLOPT_PREREQDATA, this))
        try check(switchboard_curl_set_write(easy, CURLOPT_WRITEFUNCTION, onBody))
        try check(switchboard_curl_set_write(easy, CURLOPT_HEADERFUNCTION, onHeader))
        try check(switchboard_curl_set_before_request(easy, onRequest))
        try check(switchboard_curl_set_pointer(easy, CURLOPT_OPENSOCKETDATA, this))
        try check(switchboard_curl_set_open_socket(easy, onOpenSocket))
        try set(CURLOPT_NOSIGNAL, 1)
        // A lookup that hangs must not hold up the thread when its transfer ends.
        try set(CURLOPT_QUICK_EXIT, 1)
        try configureRequest()
        try configureConnection()
        try configureTLS()
    }

    private func configureRequest() throws(TransferFailure) {
        let request = transfer.request
        try set(CURLOPT_PROTOCOLS_STR, "http,https")
        try set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1)
        try set(CURLOPT_URL, request.url)
        try set(CURLOPT_PATH_AS_IS, 1)
        try set(CURLOPT_FOLLOWLOCATION, 0)
        try set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS)
        try set(CURLOPT_HTTPHEADER, request.fields)
        if let body = request.body ?? (["POST", "PUT", "PATCH"].contains(request.method) ? [] : nil) {
            try set(CURLOPT_POST, 1)
            try check(switchboard_curl_set_size(easy, CURLOPT_POSTFIELDSIZE_LARGE, Int(body.count)))
            // Without a pointer, libcurl would ask for the body.
            try check(
                body.isEmpty
                    ? switchboard_curl_set_text(easy, CURLOPT_COPYPOSTFIELDS, "")
                    : switchboard_curl_set_pointer(easy, CURLOPT_COPYPOSTFIELDS, body)
            )
        } else if request.method == "HEAD" {
            try set(CURLOPT_NOBODY, 1)
        }
        if !["GET", "HEAD", "POST"].contains(request.method) || (request.body != nil && request.method != "POST") {
            try set(CURLOPT_CUSTOMREQUEST, request.method)
        }
    }

    private func configureConnection() throws(TransferFailure) {
        let request = transfer.request
        try set(CURLOPT_CONNECTTIMEOUT_MS, Int(request.connectTimeout.milliseconds))
        if let timeout = request.timeout { try set(CURLOPT_TIMEOUT_MS, Int(timeout.milliseconds)) }
        if let timeout = request.idleTimeout {
            try set(CURLOPT_LOW_SPEED_LIMIT, 1)
            try set(CURLOPT_LOW_SPEED_TIME, max(Int(timeout.components.seconds), 1))
        }
        try set(CURLOPT_DNS_CACHE_TIMEOUT, 0)
        try set(CURLOPT_MAXAGE_CONN, Self.maxIdleSeconds)
        try set(CURLOPT_MAXLIFETIME_CONN, Self.maxLifetimeSeconds)
        if request.needsNewConnection { try set(CURLOPT_FRESH_CONNECT, 1) }
        if transfer.core.maxIdleConnections == 0 {
            try set(CURLOPT_FRESH_CONNECT, 1)
            try set(CURLOPT_FORBID_REUSE, 1)
        }
        if let address = request.address {
            guard Self.isAddress(address) else { throw TransferFailure(.invalidRequest) }
            // For any host and port, this address and the same port.
            try set(CURLOPT_CONNECT_TO, ["::\(address.contains(":") ? "[\(address)]" : address):"])
        }
        // Both would else be set by the environment.
        try set(CURLOPT_PROXY, request.proxy?.url ?? "")
        try set(CURLOPT_NOPROXY, "")
        guard let proxy = request.proxy else { return }
        try set(CURLOPT_HTTPPROXYTUNNEL, 1)
        try set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        guard let credentials = proxy.credentials else { return }
        try set(CURLOPT_PROXYAUTH, switchboard_CURLAUTH_BASIC)
        try set(CURLOPT_PROXYUSERNAME, credentials.user)
        try set(CURLOPT_PROXYPASSWORD, credentials.password)
    }

    private func configureTLS() throws(TransferFailure) {
        try set(CURLOPT_SSL_VERIFYPEER, 1)
        try set(CURLOPT_SSL_VERIFYHOST, 2)
        try set(CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2)
        // With the bundle alone, libcurl reads the system's roots once for each client, not for each connection.
        try check(switchboard_curl_set_text(easy, CURLOPT_CAPATH, nil))
        guard let file = transfer.core.trustRootsFile else { return }
        var bundle: UnsafePointer<CChar>?
        switchboard_curl_get_text(easy, CURLINFO_CAINFO, &bundle)
        // A host without the system's roots.
        if bundle.map({ access($0, R_OK) }) != 0 { try set(CURLOPT_CAINFO, file) }
        try check(switchboard_curl_set_pointer(easy, CURLOPT_SSL_CTX_DATA, Unmanaged.passUnretained(self).toOpaque()))
        try check(switchboard_curl_set_tls_context(easy, onTLSContext))
    }

    private func set(_ option: CURLoption, _ value: Int) throws(TransferFailure) {
        try check(switchboard_curl_set_long(easy, option, value))
    }

    private func set(_ option: CURLoption, _ value: String) throws(TransferFailure) {
        // The C string would end there.
        guard !value.utf8.contains(0) else { throw TransferFailure(.invalidRequest) }
        try check(switchboard_curl_set_text(easy, option, value))
    }

    private static func isAddress(_ text: String) -> Bool {
        var bytes = in6_addr()
        return inet_pton(AF_INET, text, &bytes) == 1 || inet_pton(AF_INET6, text, &bytes) == 1
    }

    /// Opens a socket to an address; none if a connection without a proxy is to another address than that of the
    /// request.
    fileprivate func openSocket(_ target: UnsafeMutablePointer<curl_sockaddr>) -> Int32 {
        let family = target.pointee.family
        if let expected = transfer.request.address, transfer.request.proxy == nil {
            let (offset, count) = family == AF_INET ? (4, 4) : (8, 16)
            var bytes = in6_addr()
            let start = MemoryLayout<curl_sockaddr>.offset(of: \.addr) ?? 0
            guard inet_pton(family, expected, &bytes) == 1,
                memcmp(&bytes, UnsafeRawPointer(target) + start + offset, count) == 0
            else { return CURL_SOCKET_BAD }
        }
        let closesOnExec = Int32(SOCK_CLOEXEC.rawValue)
        return socket(family, target.pointee.socktype | closesOnExec, target.pointee.protocol)
    }
}

private func exchange(_ context: UnsafeMutableRawPointer?) -> Exchange? {
    context.map { Unmanaged<Exchange>.fromOpaque($0).takeUnretainedValue() }
}

private let onBody: curl_write_callback = { bytes, _, count, context in
    exchange(context)?.receive(body: UnsafeRawBufferPointer(start: bytes, count: count)) ?? 0
}

private let onHeader: curl_write_callback = { bytes, _, count, context in
    exchange(context)?.receive(headerLine: UnsafeRawBufferPointer(start: bytes, count: count)) == true ? count : 0
}

private let onRequest: curl_prereq_callback = { context, _, _, _, _ in
    exchange(context)?.beginRequest() == true ? Int32(CURL_PREREQFUNC_OK) : Int32(CURL_PREREQFUNC_ABORT)
}

private let onOpenSocket: curl_opensocket_callback = { context, _, target in
    guard let target else { return CURL_SOCKET_BAD }
    return exchange(context)?.openSocket(target) ?? CURL_SOCKET_BAD
}

private let onTLSContext: curl_ssl_ctx_callback = { _, tls, context in
    guard let tls, let file = exchange(context)?.transfer.core.trustRootsFile,
        SSL_CTX_load_verify_locations(OpaquePointer(tls), file, nil) == 1
    else { return CURLE_SSL_CACERT_BADFILE }
    return CURLE_OK
}
