/// The access of an app to APNs: by provider tokens or by a certificate (BrandsAndApps page, ProviderFacts page, A5 and
/// A6).
///
/// The JSON is flat: with a member `certificate` it is the form for a certificate, else the form for tokens.
package struct APNsSettings: Equatable, Sendable {
    /// The authentication of a connection.
    package enum Authentication: Equatable, Sendable {
        /// Each push carries a token that the team's key signed.
        case token(APNsTokenSettings)
        /// The connection authenticates with a client certificate.
        case certificate(APNsCertificateSettings)
    }

    /// Hosts in place of Apple's, for simulators and proxies: `https://host:port`.
    package struct Endpoints: Codable, Equatable, Sendable {
        /// The host in place of `https://api.push.apple.com:443`.
        package var production: String?
        /// The host in place of `https://api.sandbox.push.apple.com:443`.
        package var sandbox: String?

        /// Creates endpoints.
        package init(production: String? = nil, sandbox: String? = nil) {
            self.production = production
            self.sandbox = sandbox
        }
    }

    /// The authentication of a connection.
    package var authentication: Authentication
    /// The app's bundle id; nil only with a certificate that names one app.
    package var topic: String?
    /// The hosts in place of Apple's.
    package var endpoints: Endpoints?
    /// Whether a badge push after a read on another device wakes the app, so that it removes the notifications of what
    /// was read: APNs cannot remove them from outside, and iOS wakes an app two or three times an hour.
    package var wakesOnRead = false

    /// Creates settings with any authentication.
    package init(_ authentication: Authentication, topic: String?, endpoints: Endpoints? = nil) {
        self.authentication = authentication
        self.topic = topic
        self.endpoints = endpoints
    }

    /// Creates settings with token authentication.
    ///
    /// - Parameters:
    ///   - teamId: The 10-character team id.
    ///   - keyId: The 10-character key id.
    ///   - privateKey: The `.p8` file.
    ///   - topic: The app's bundle id.
    ///   - sandboxKey: A second key for the sandbox.
    ///   - endpoints: The hosts in place of Apple's.
    package init(
        teamId: String,
        keyId: String,
        privateKey: String,
        topic: String,
        sandboxKey: APNsTokenSettings.SandboxKey? = nil,
        endpoints: Endpoints? = nil
    ) {
        let token = APNsTokenSettings(teamId: teamId, keyId: keyId, privateKey: privateKey, sandboxKey: sandboxKey)
        self.init(.token(token), topic: topic, endpoints: endpoints)
    }
}

extension APNsSettings: Codable {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case certificate, teamId, keyId, privateKey, sandboxKey, topic, endpoints
        case wakesOnRead = "wakeOnRead"
    }

    /// Decodes either form.
    ///
    /// - Throws: `DecodingError` naming the member: one that is missing, of another type, or of the other form.
    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        endpoints = try members.decodeIfPresent(Endpoints.self, forKey: .endpoints)
        wakesOnRead = try members.decodeIfPresent(Bool.self, forKey: .wakesOnRead) ?? false
        guard try members.contains(.certificate) && !members.decodeNil(forKey: .certificate) else {
            authentication = .token(try APNsTokenSettings(from: decoder))
            topic = try members.decode(String.self, forKey: .topic)
            return
        }
        // Members of both forms are ambiguous.
        for key in [CodingKeys.teamId, .keyId, .privateKey, .sandboxKey] where members.contains(key) {
            throw DecodingError.dataCorruptedError(
                forKey: key,
                in: members,
                debugDescription: "must be absent beside a certificate"
            )
        }
        authentication = .certificate(try APNsCertificateSettings(from: decoder))
        topic = try members.decodeIfPresent(String.self, forKey: .topic)
    }

    /// Encodes the flat object, secrets included.
    package func encode(to encoder: any Encoder) throws {
        switch authentication {
        case .token(let token): try token.encode(to: encoder)
        case .certificate(let certificate): try certificate.encode(to: encoder)
        }
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encodeIfPresent(topic, forKey: .topic)
        try members.encodeIfPresent(endpoints, forKey: .endpoints)
        if wakesOnRead { try members.encode(true, forKey: .wakesOnRead) }
    }
}
