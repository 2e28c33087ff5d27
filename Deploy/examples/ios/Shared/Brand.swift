import Foundation
import SwitchboardClient

/// The settings that the app and its Notification Service Extension share.
enum Brand {
    /// The Keychain group of both targets, with the prefix of the team.
    static let accessGroup = "ABCDE12345.com.example.acme.shared"

    /// The settings of the client; none of them is secret.
    static var configuration: ClientConfiguration {
        guard let server = URL(string: "https://push.example.com") else { preconditionFailure("not a URL") }
        var configuration = ClientConfiguration(serverURL: server, brandID: "acme", appID: "ios")
        configuration.appVersion = Bundle.main.object(forInfoDictionaryKey: "CFBundleShortVersionString") as? String
        return configuration
    }

    /// The place of the record on the device.
    static var storage: KeychainStorage { KeychainStorage(accessGroup: accessGroup) }
}
