import Foundation
import GatewayClient
import GuardedHTTP
import HTTPTransfers
import TextFormats

/// The OpenTelemetry collector of the instance: its URL and its header fields, which hold secrets.
struct TraceCollector {
    /// A response.
    struct Reply: Equatable {
        /// The status; 0 without a response.
        var status: Int
        /// The wait that the collector asks for.
        var retryAfterSeconds: Int64?
    }

    /// The timeout for a request with its response.
    static let timeout = Duration.seconds(3)
    /// The maximum of header fields.
    static let maxHeaders = 16
    private static let maxResponseBytes = 64 << 10

    private let url: String
    private let host: String
    /// The header fields of the file.
    let headers: [(name: String, value: String)]

    /// Reads the header fields; nil without a collector; throws ``CommandFailure`` when a setting cannot be used.
    ///
    /// Any host may be named: the setting is the operator's. No message has the URL or a header field.
    init?(_ settings: TelemetrySettings) throws(CommandFailure) {
        let keys = (url: SettingKey.telemetryTraces.rawValue, file: SettingKey.telemetryTraceHeadersFile.rawValue)
        guard let text = settings.traces else {
            guard settings.traceHeadersFile == nil else {
                throw CommandFailure(.usage, "\(keys.file) is set without \(keys.url)")
            }
            return nil
        }
        guard let url = URL(string: text), let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme),
            let host = url.host, !host.isEmpty, url.user == nil, url.password == nil, url.fragment == nil,
            text.utf8.count <= GuardedURL.maxBytes
        else {
            throw CommandFailure(
                .usage,
                "\(keys.url) must be an http or https URL without a user, such as http://127.0.0.1:4318/v1/traces"
            )
        }
        self.url = text
        self.host = host
        guard let path = settings.traceHeadersFile else {
            headers = []
            return
        }
        guard let lines = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw CommandFailure(.usage, "\(keys.file) (\(path)) cannot be read")
        }
        guard let headers = Self.headers(lines) else {
            let form = "lines of a header field each, NAME: VALUE in ASCII, \(Self.maxHeaders) at most"
            throw CommandFailure(.usage, "\(keys.file) (\(path)) must be \(form)")
        }
        self.headers = headers
    }

    /// Parses header fields, one a line; nil when a line is none.
    static func headers(_ text: String) -> [(name: String, value: String)]? {
        var headers: [(name: String, value: String)] = []
        for line in text.split(whereSeparator: \.isNewline) {
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty, parts[0].utf8.allSatisfy(isNamePart),
                headers.count < maxHeaders
            else { return nil }
            let value = parts[1].trimmingCharacters(in: .whitespaces)
            guard !value.isEmpty, value.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else { return nil }
            headers.append((String(parts[0]), value))
        }
        return headers
    }

    private static func isNamePart(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte) || byte == 0x2D || byte == 0x5F
    }

    /// Posts a body, once; returns after ``timeout`` at most.
    func post(
        _ body: [UInt8],
        by client: TransferClient,
        through proxy: OutboundProxy?,
        contentType: String,
        now milliseconds: Int64
    ) async -> Reply {
        let defaults = [(name: "content-type", value: contentType), (name: "user-agent", value: "switchboard")]
        let fields = defaults.filter { field in !headers.contains { $0.name.lowercased() == field.name } } + headers
        var request = TransferRequest("POST", url, headers: fields, body: body, timeout: Self.timeout)
        if let proxy, proxy.isUsed(for: host) { request.proxy = proxy.transferProxy }
        guard let response = try? await client.send(request, maxBodyBytes: Self.maxResponseBytes) else {
            return Reply(status: 0)
        }
        return Reply(
            status: response.status,
            retryAfterSeconds: RetryAfter.seconds(response.header("retry-after"), nowMilliseconds: milliseconds)
        )
    }
}
