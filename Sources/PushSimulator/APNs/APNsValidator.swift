internal import TextFormats

/// Validates pushes as APNs does.
///
/// Sources: Apple, "Sending notification requests to APNs", "Establishing a token-based connection to APNs" and
/// "Handling notification responses from APNs". No page documents the order of APNs' checks; here it is request line,
/// repeated fields, certificate or provider token, device token, the other fields, payload, device.
package struct APNsValidator: Sendable {
    /// The data of APNs.
    package var directory: APNsDirectory
    /// Generates the ids of pushes without one: canonical lower-case UUIDs.
    private let makeID: @Sendable () -> String

    /// Creates a validator.
    ///
    /// - Parameters:
    ///   - directory: Keys and devices.
    ///   - makeID: Generates the ids of pushes without one.
    package init(directory: APNsDirectory, makeID: @escaping @Sendable () -> String = RandomID.uuid) {
        self.directory = directory
        self.makeID = makeID
    }

    /// Validates one push.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - connection: The state of its connection, which is updated.
    ///   - now: The time of arrival.
    /// - Returns: The verdict with Apple's response.
    package func verdict(
        on request: SimulatorRequest,
        connection: inout APNsConnectionState,
        at now: SimulatorTime
    ) -> PushVerdict {
        var id: String?
        var token: String?
        do throws(APNsRejection) {
            let headers = try Self.headers(of: request, id: &id)
            token = try Self.token(of: request)
            try self.checkSender(headers.authorization, connection: &connection, at: now)
            let device = try Self.deviceToken(token)
            let type = try Self.pushType(headers.pushType)
            let bundleID = try Self.bundleID(of: headers, type: type, connection: &connection)
            try Self.check(headers, type: type)
            try Self.check(request.body, type: type)
            try self.check(device: device, bundleID: bundleID)
            return PushVerdict(token: token, reason: nil, reply: APNsReply.accepted(id: id ?? self.makeID()))
        } catch {
            let reply = APNsReply.refused(
                status: error.reason.status,
                reason: error.reason.rawValue,
                id: id ?? self.makeID(),
                timestamp: error.timestamp
            )
            return PushVerdict(token: token, reason: error.reason.rawValue, reply: reply)
        }
    }

    /// Returns the last segment of the path, the device token.
    private static func token(of request: SimulatorRequest) throws(APNsRejection) -> String {
        guard request.method == "POST" else { throw APNsRejection(.methodNotAllowed) }
        let prefix = "/3/device"
        guard request.path.hasPrefix(prefix) else { throw APNsRejection(.badPath) }
        let rest = request.path.dropFirst(prefix.utf8.count)
        if rest.isEmpty || rest == "/" { throw APNsRejection(.missingDeviceToken) }
        guard rest.hasPrefix("/"), !rest.dropFirst().contains("/") else { throw APNsRejection(.badPath) }
        let token = rest.dropFirst()
        let hasUpperCase = token.utf8.contains { (0x41...0x5A).contains($0) }
        return hasUpperCase ? token.lowercased() : String(token)
    }

    private static func bundleID(
        of headers: Headers,
        type: APNsPushType?,
        connection: inout APNsConnectionState
    ) throws(APNsRejection) -> String {
        if let last = connection.lastTarget, last.topic == headers.topic, last.pushType == headers.pushType {
            return last.bundleID
        }
        let topic = try Self.topic(headers.topic, of: connection.certificate)
        let bundleID = try Self.bundleID(topic, type: type, allowed: connection.current?.topics ?? [])
        if let topic = headers.topic { connection.lastTarget = (topic, headers.pushType, bundleID) }
        return bundleID
    }

    /// The longest device token.
    ///
    /// Apple advises not to assume a length; tokens of Live Activities are longer than those
    /// of apps.
    ///
    /// The bound is ours.
    private static let longestDeviceToken = 400

    private static func deviceToken(_ token: String?) throws(APNsRejection) -> String {
        guard let token, token.utf8.count.isMultiple(of: 2), token.utf8.count <= Self.longestDeviceToken,
            token.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
        else { throw APNsRejection(.badDeviceToken) }
        return token
    }

    private func check(device token: String, bundleID: String) throws(APNsRejection) {
        guard !self.directory.devices.isEmpty, let device = self.directory.devices[token] else { return }
        if let app = device.app, app != bundleID { throw APNsRejection(.deviceTokenNotForTopic) }
        if let moment = device.unregisteredSince { throw APNsRejection(.unregistered, timestamp: moment) }
    }

    /// Checks the body.
    ///
    /// No page documents a reason for a body that is not a JSON object with `aps`; here it counts as
    /// an empty payload.
    private static func check(_ body: [UInt8], type: APNsPushType?) throws(APNsRejection) {
        guard !body.isEmpty else { throw APNsRejection(.payloadEmpty) }
        guard body.count <= type?.payloadLimit ?? APNsPushType.alert.payloadLimit else {
            throw APNsRejection(.payloadTooLarge)
        }
        let member = (type ?? .alert).requiredMember
        let hasContent = try? StrictJSON.isObject(body, maxDepth: JSONValue.maxDepth, having: member)
        guard hasContent == true else { throw APNsRejection(.payloadEmpty) }
    }
}
