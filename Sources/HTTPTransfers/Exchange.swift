internal import CCurl

/// One transfer in libcurl: an easy handle with what its callbacks need; used by the thread only.
final class Exchange {
    /// The maximum of header fields of one response.
    private static let maxHeaders = 256

    let transfer: Transfer
    let easy: UnsafeMutableRawPointer
    /// Lists that libcurl uses, and does not copy.
    private var lists: [UnsafeMutablePointer<curl_slist>] = []
    private let start = MonotonicTime.now
    /// Whether the connection to the host is ready, so that the request may have been sent.
    private var mayHaveSent = false
    /// The reason why a callback ended the transfer.
    private var reason: TransferFailure.Reason?
    private var headerBytes = 0
    private var status: Int?
    private var headers: [(name: String, value: String)] = []
    private var isHeadComplete = false

    /// Prepares an easy handle for a request.
    init(_ transfer: Transfer) throws(TransferFailure) {
        guard let easy = curl_easy_init() else { throw TransferFailure(.unavailable) }
        self.transfer = transfer
        self.easy = easy
        try configure()
    }

    deinit {
        curl_easy_cleanup(easy)
        for list in lists { curl_slist_free_all(list) }
    }

    /// Returns the exchange of an easy handle.
    static func of(_ easy: UnsafeMutableRawPointer) -> Exchange? {
        var context: UnsafePointer<CChar>?
        switchboard_curl_get_text(easy, CURLINFO_PRIVATE, &context)
        return context.map { Unmanaged<Exchange>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Adds a list of texts as an option.
    func set(_ option: CURLoption, _ texts: [String]) throws(TransferFailure) {
        var list: UnsafeMutablePointer<curl_slist>?
        for text in texts {
            guard let longer = curl_slist_append(list, text) else {
                curl_slist_free_all(list)
                throw TransferFailure(.unavailable)
            }
            list = longer
        }
        if let list { lists.append(list) }
        try check(switchboard_curl_set_list(easy, option, list))
    }

    /// Throws if an option was not accepted.
    func check(_ code: CURLcode) throws(TransferFailure) {
        guard code == CURLE_OK else {
            throw TransferFailure(code == CURLE_OUT_OF_MEMORY ? .unavailable : .invalidRequest)
        }
    }

    // Called by libcurl.

    /// Notes that the connection is ready; false for a second try, which libcurl makes when an idle connection breaks:
    /// the request may have arrived by the first.
    func beginRequest() -> Bool {
        if mayHaveSent { reason = .broken }
        defer { mayHaveSent = true }
        return !mayHaveSent
    }

    /// Returns the number of bytes that are taken, or libcurl's code for none.
    func receive(body: UnsafeRawBufferPointer) -> Int {
        switch transfer.receive(body) {
        case .taken: return body.count
        case .paused: return Int(CURL_WRITEFUNC_PAUSE)
        case .tooMany:
            reason = .tooLarge
            return 0
        }
    }

    /// Reads a line of the head, or of trailers; false when there are too many.
    func receive(headerLine: UnsafeRawBufferPointer) -> Bool {
        headerBytes += headerLine.count
        guard headerBytes <= TransferClient.maxHeaderBytes, headers.count <= Self.maxHeaders else {
            reason = .headersTooLarge
            return false
        }
        guard !isHeadComplete else { return true }
        let line = headerLine.trimming { $0 == 0x0D || $0 == 0x0A }
        guard let status else {
            // HTTP/1.1 200 OK
            let word = line.split(separator: UInt8(ascii: " ")).dropFirst().first
            status = word.flatMap { Int(String(decoding: $0, as: UTF8.self)) } ?? 0
            return true
        }
        if let colon = line.firstIndex(of: UInt8(ascii: ":")) {
            let value = line[(colon + 1)...].trimming { $0 == 0x20 || $0 == 0x09 }
            headers.append((String(decoding: line[..<colon], as: UTF8.self), String(decoding: value, as: UTF8.self)))
        } else if line.isEmpty {
            // An interim response (RFC 9110 section 15.2) is followed by another; 101 cannot be, without an upgrade.
            if status >= 200 || status == 101 {
                isHeadComplete = true
                transfer.receive(TransferResponse(status: status, headers: headers))
            }
            (self.status, headers) = (nil, [])
        }
        return true
    }

    // The end.

    /// Returns the end of the transfer for libcurl's result.
    func end(_ code: CURLcode) -> Result<Void, TransferFailure> {
        guard code != CURLE_OK else { return .success(()) }
        return .failure(TransferFailure(reason ?? reason(of: code), mayHaveSent: mayHaveSent))
    }

    private func reason(of code: CURLcode) -> TransferFailure.Reason {
        let isProxyDue = transfer.request.proxy != nil && !mayHaveSent
        if isProxyDue {
            var status = 0
            switchboard_curl_get_long(easy, CURLINFO_HTTP_CONNECTCODE, &status)
            if status == 407 { return .proxyCredentials }
            if status != 0, !(200..<300).contains(status) { return .proxyRefused }
        }
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST: return .unresolved
        case CURLE_COULDNT_RESOLVE_PROXY: return .proxyUnreachable
        case CURLE_COULDNT_CONNECT: return isProxyDue ? .proxyUnreachable : .unreachable
        case CURLE_OPERATION_TIMEDOUT:
            if let timeout = transfer.request.timeout, MonotonicTime.now - start + 1 >= timeout.milliseconds {
                return .timeout
            }
            return mayHaveSent ? .idleTimeout : isProxyDue ? .proxyTimeout : .connectTimeout
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
            CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_INVALIDCERTSTATUS:
            return .tls
        case CURLE_URL_MALFORMAT, CURLE_LOGIN_DENIED: return .invalidRequest
        // A response without a status line is the other case of this error.
        case CURLE_UNSUPPORTED_PROTOCOL where !mayHaveSent: return .invalidRequest
        // A field above libcurl's own limit of 100 KiB.
        case CURLE_OUT_OF_MEMORY where mayHaveSent && !isHeadComplete: return .headersTooLarge
        case CURLE_OUT_OF_MEMORY, CURLE_FAILED_INIT: return .unavailable
        default: return isProxyDue ? .proxyRefused : .broken
        }
    }
}

extension Duration {
    /// The duration in milliseconds from 1 to the largest that libcurl accepts.
    var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        guard seconds < Int64(Int32.max) / 1000 else { return Int64(Int32.max) }
        return max(seconds * 1000 + attoseconds / 1_000_000_000_000_000, 1)
    }
}

extension BidirectionalCollection<UInt8> {
    /// The bytes without certain ones at their ends.
    fileprivate func trimming(_ isTrimmed: (UInt8) -> Bool) -> SubSequence {
        let head = drop(while: isTrimmed)
        guard let last = head.lastIndex(where: { !isTrimmed($0) }) else { return head[head.endIndex...] }
        return head[...last]
    }
}
