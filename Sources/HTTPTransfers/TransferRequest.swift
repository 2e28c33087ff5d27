/// An HTTP request that is sent once: redirects are not followed and cookies are not kept.
package struct TransferRequest: Sendable {
    /// The method; a token of RFC 9110 section 5.6.2.
    package var method: String
    /// An absolute http or https URL in ASCII, without a user, a password or a fragment.
    package var url: String
    /// The header fields, in this order, after those that HTTP requires.
    package var headers: [(name: String, value: String)]
    /// The body; nil for none.
    package var body: [UInt8]?
    /// The only IP address to connect to, IPv6 without brackets; nil resolves the URL's host.
    ///
    /// TLS and `Host` use the name of the URL in any case. A proxy receives this address in place of the name.
    package var address: String?
    /// The proxy that opens a tunnel to the host, or to ``address``; nil connects directly.
    package var proxy: TransferProxy?
    /// The timeout until the connection is ready: lookup, TCP, proxy and TLS together.
    package var connectTimeout = Duration.seconds(10)
    /// The longest time without a byte of the body, in whole seconds; nil for no limit.
    ///
    /// The time until the first byte of the body counts. It ends up to 5 seconds late.
    package var idleTimeout: Duration? = .seconds(30)
    /// The timeout for everything together; nil for no limit.
    package var timeout: Duration?
    /// Whether an idle connection must not be used for the request.
    package var needsNewConnection = false

    /// Creates a request with the given parts and the defaults of the others.
    package init(
        _ method: String,
        _ url: String,
        headers: [(name: String, value: String)] = [],
        body: [UInt8]? = nil,
        timeout: Duration?
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.timeout = timeout
    }

    /// Whether method and header fields have valid characters (RFC 9110 section 5).
    ///
    /// libcurl sends them as they are: a line break would begin another field.
    var isValid: Bool {
        Self.isToken(method)
            && headers.allSatisfy { name, value in
                Self.isToken(name) && value.utf8.allSatisfy { ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x09 }
            }
    }

    /// The fields in the form of libcurl, which replaces its own fields (`Accept`, `Content-Type`, `Expect`) by these
    /// or by none.
    var fields: [String] {
        let own = ["accept", "content-type", "expect"].filter { name in
            !headers.contains { $0.name.lowercased() == name }
        }
        // A name with a semicolon is a field with an empty value.
        return headers.map { $0.value.isEmpty ? $0.name + ";" : "\($0.name): \($0.value)" } + own.map { $0 + ":" }
    }

    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
                    || "!#$%&'*+-.^_`|~".utf8.contains(byte)
            }
    }
}

/// An HTTP proxy that opens tunnels with CONNECT (RFC 9110 section 9.3.6).
package struct TransferProxy: Sendable {
    /// A name or an address, IPv6 without brackets.
    package var host: String
    /// The port, 1 to 65535.
    package var port: Int
    /// The credentials of Basic authentication (RFC 7617), which are sent at once; nil sends none.
    package var credentials: (user: String, password: String)?

    /// Creates a description of a proxy.
    package init(host: String, port: Int, credentials: (user: String, password: String)?) {
        self.host = host
        self.port = port
        self.credentials = credentials
    }

    /// The URL of the proxy.
    var url: String { "http://" + (host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host) + ":\(port)" }
}
