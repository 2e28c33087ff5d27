public import Foundation

/// The members of a push as the platform delivered them.
public struct PushPayload: Sendable, Hashable {
    /// The members.
    let members: [String: JSONValue]

    /// Creates a payload from the `userInfo` of a notification (APNs).
    public init(userInfo: [AnyHashable: Any]) { members = JSONValue.object(userInfo) }

    /// Creates a payload from a map of texts (FCM, Huawei).
    public init(data: [String: String]) { members = data.mapValues { .string($0) } }

    /// Creates a payload from JSON.
    ///
    /// - Parameter json: The text; anything but an object gives a payload without members.
    public init(json: Data) {
        if case .object(let members)? = JSONValue(parsing: json, maxBytes: 65_536) {
            self.members = members
        } else {
            members = [:]
        }
    }
}
