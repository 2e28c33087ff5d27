/// How an app reaches APNs: by provider tokens or by a certificate (BrandsAndApps page, ProviderFacts page, A5 and A6).
///
/// Its JSON is flat: with a member `certificate` it is the certificate's form, else the token's.
package struct APNsSettings: Equatable, Sendable {
    /// How a connection proves whose it is.
    package enum Authentication: Equatable, Sendable {
        /// Each push carries a token that the team's key signed.
        case token(APNsTokenSettings)
        /// The connection signs in with a certificate.
        case certificate(APNsCertificateSettings)
    }

    /// Other hosts than Apple's, for simulators and proxies: `https://host:port`.
    package struct Endpoints: Codable, Equatable, Sendable {
        /// In place of `https://api.push.apple.com:443`.
        package var production: String?
        /// In place of `https://api.sandbox.push.apple.com:443`.
        package var sandbox: String?

        /// Takes other hosts.
        ///
        /// - Parameters:
        ///   - production: In place of Apple's production host.
        ///   - sandbox: In place of Apple's sandbox host.
        package init(production: String? = nil, sandbox: String? = nil) {
            self.production = production
            self.sandbox = sandbox
        }
    }

    /// How a connection proves whose it is.
    package var authentication: Authentication
    /// The app's bundle id; nil only beside a certificate that names one app.
    package var topic: String?
    /// Other hosts than Apple's.
    package var endpoints: Endpoints?
    /// Whether a badge push after a read elsewhere wakes the app, so that it takes away the notifications of what was
    /// read: Apple lets none be taken away from outside, and wakes an app two or three times an hour.
    package var wakesOnRead = false

    /// Takes any authentication.
    ///
    /// - Parameters:
    ///   - authentication: How a connection proves whose it is.
    ///   - topic: The app's bundle id; nil only beside a certificate that names one app.
    ///   - endpoints: Other hosts than Apple's.
    package init(_ authentication: Authentication, topic: String?, endpoints: Endpoints? = nil) {
        self.authentication = authentication
        self.topic = topic
        self.endpoints = endpoints
    }

    /// Takes token authentication.
    ///
    /// - Parameters:
    ///   - teamId: The 10-character team id.
    ///   - keyId: The 10-character key id.
    ///   - privateKey: The `.p8` file.
    ///   - topic: The app's bundle id.
    ///   - sandboxKey: A second key for the sandbox.
    ///   - endpoints: Other hosts than Apple's.
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

    /// Reads either form.
    ///
    /// - Parameter decoder: Holds the flat object.
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
        // Which of the two was meant cannot be told.
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

    /// Writes the flat object, secrets included.
    ///
    /// - Parameter encoder: Takes it.
    /// - Throws: What the encoder throws.
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
