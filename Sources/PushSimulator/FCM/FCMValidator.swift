/// Validates messages as FCM HTTP v1 does.
///
/// Sources: firebase.google.com "FCM error codes", the discovery document of FCM v1, and Google's common error model.
package struct FCMValidator: Sendable {
    /// The data of FCM.
    package var directory: FCMDirectory
    private let makeID: @Sendable () -> String

    /// The scopes that allow an account to send; one is enough.
    private static let scopes: Set<String> = [
        "https://www.googleapis.com/auth/firebase.messaging", "https://www.googleapis.com/auth/cloud-platform",
    ]

    /// Creates a validator.
    ///
    /// - Parameters:
    ///   - directory: Access tokens and devices.
    ///   - makeID: Generates the last part of message names.
    package init(
        directory: FCMDirectory,
        makeID: @escaping @Sendable () -> String = { "0:" + RandomID.hexadecimal(12) }
    ) {
        self.directory = directory
        self.makeID = makeID
    }

    /// Validates one message.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - now: The time of arrival.
    /// - Returns: The verdict with Google's response.
    package func verdict(on request: SimulatorRequest, at now: SimulatorTime) -> PushVerdict {
        guard let project = Self.project(of: request) else {
            let page = "The requested URL was not found on this server."
            return PushVerdict(token: nil, reason: "NOT_FOUND", reply: .html(404, page))
        }
        var token: String?
        do throws(FCMRejection) {
            try self.authorize(request, for: project, at: now)
            let body = try Self.parse(request.body)
            token = body["message"]?["token"]?.stringValue
            let message = try Self.structure(of: body)
            try Self.check(message)
            try self.checkDevice(token, project: project)
            let isDryRun = (body["validate_only"] ?? body["validateOnly"])?.boolValue ?? false
            let id = isDryRun ? "fake_message_id" : self.makeID()
            let name = JSONValue.string("projects/\(project)/messages/\(id)")
            let reply = SimulatorReply.json(200, ["name": name])
            return PushVerdict(token: token, reason: nil, reply: reply)
        } catch {
            return PushVerdict(token: token, reason: error.reason, reply: error.reply)
        }
    }

    /// Returns the project id in the path; nil for any other path or method.
    private static func project(of request: SimulatorRequest) -> String? {
        let prefix = "/v1/projects/"
        let suffix = "/messages:send"
        guard request.method == "POST", request.path.hasPrefix(prefix), request.path.hasSuffix(suffix) else {
            return nil
        }
        let project = request.path.dropFirst(prefix.count).dropLast(suffix.count)
        return project.isEmpty || project.contains("/") ? nil : String(project)
    }

    private func authorize(
        _ request: SimulatorRequest,
        for project: String,
        at now: SimulatorTime
    ) throws(FCMRejection) {
        guard let authorization = request.header("authorization") else {
            throw FCMRejection.unauthenticated("CREDENTIALS_MISSING")
        }
        let scheme = "bearer "
        guard authorization.prefix(scheme.count).lowercased() == scheme,
            let grant = self.directory.grants[String(authorization.dropFirst(scheme.count))]
        else { throw FCMRejection.unauthenticated("ACCESS_TOKEN_TYPE_UNSUPPORTED") }
        guard now < grant.expires else { throw FCMRejection.unauthenticated("ACCESS_TOKEN_EXPIRED") }
        guard !grant.scopes.isDisjoint(with: Self.scopes) else {
            throw FCMRejection.denied(
                "ACCESS_TOKEN_SCOPE_INSUFFICIENT",
                message: "Request had insufficient authentication scopes."
            )
        }
        guard grant.projectID == project else {
            throw FCMRejection.denied(
                "IAM_PERMISSION_DENIED",
                message: "Permission denied on the project, or it may not exist."
            )
        }
    }

    private static func parse(_ body: [UInt8]) throws(FCMRejection) -> JSONValue {
        do {
            return try JSONValue(parsing: body)
        } catch {
            throw .malformed([.init(field: "", text: "Invalid JSON payload received: \(error.reason).")])
        }
    }

    /// Validates the body against the schema.
    ///
    /// - Returns: The message.
    private static func structure(of body: JSONValue) throws(FCMRejection) -> JSONValue {
        var walker = FCMSchemaWalker()
        walker.check(body, is: FCMSchema.request, at: "")
        guard walker.violations.isEmpty else { throw .malformed(walker.violations) }
        guard let message = body["message"], message != .null else {
            throw .invalid(.init(field: "message", text: "Message is not set."))
        }
        return message
    }

    private func checkDevice(_ token: String?, project: String) throws(FCMRejection) {
        guard let token, let device = self.directory.devices[token] else { return }
        if let app = device.app, app != project { throw FCMRejection.senderMismatch }
        if device.unregisteredSince != nil { throw FCMRejection.unregistered }
    }
}
