import Foundation
import GatewayClient
import GuardedHTTP

extension OutboundProxy {
    /// The most bytes of a password.
    private static let maxPasswordBytes = 512

    /// Creates the outbound proxy of the settings, with the password from its file; nil without one; throws
    /// ``CommandFailure`` when the password cannot be read, or when there is no user for it.
    init?(settings: ProviderSettings) throws(CommandFailure) {
        guard let url = settings.proxy else { return nil }
        var password = url.password
        if let path = settings.proxyPasswordFile {
            let name = "provider.proxyPasswordFile (\(path))"
            guard url.user != nil, password == nil else {
                throw CommandFailure(.usage, "\(name): provider.proxy must hold a user and no password")
            }
            guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
                throw CommandFailure(.usage, "\(name) cannot be read")
            }
            let line = text.trimmingCharacters(in: .newlines)
            guard !line.isEmpty, line.utf8.count <= Self.maxPasswordBytes,
                line.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
            else {
                throw CommandFailure(.usage, "\(name) must be one line of 1 to \(Self.maxPasswordBytes) bytes")
            }
            password = line
        }
        self.init(
            host: url.address.host,
            port: url.address.port,
            credentials: url.user.map { (user: $0, password: password ?? "") },
            exceptions: settings.noProxy
        )
    }
}
