package import Delivery
package import GatewayStorage
internal import HTTPTypes
internal import Hummingbird
package import Identity
internal import IdentityProviders
package import TextFormats

// The one place where errors of other targets become problems.
extension Problem {
    /// Converts an error of the store.
    ///
    /// An error that may pass, even if an operator must act, is `overloaded` (503, retryable); one that the same
    /// request will meet again is `internal`.
    ///
    /// A damaged store is of the first kind: callers should keep their data and send it when the store is restored.
    package init(_ error: StorageError) {
        switch error {
        case .full: self.init(.overloaded, "The disk is full.", retryAfterSeconds: 30)
        case .readOnly: self.init(.overloaded, "The data cannot be written.", retryAfterSeconds: 30)
        case .locked: self.init(.overloaded, "Another process has locked the data.", retryAfterSeconds: 5)
        case .unavailable: self.init(.overloaded, "The store does not respond.", retryAfterSeconds: 5)
        case .closed: self.init(.overloaded, "The gateway is stopping.", retryAfterSeconds: 5)
        case .corrupt:
            self.init(
                .overloaded,
                "The store is damaged; an operator must restore it.",
                retryAfterSeconds: 60
            )
        case .duplicate:
            self.init(.conflict, "The id or the name is already used.")
        case .newerSchema, .changedMigration, .foreign, .constraint:
            self.init(.internal, "Internal error of the store.")
        }
        isOutcomeUnknown = error != .duplicate
    }

    /// Converts the reason for which events or a change were not accepted.
    package init(_ error: IntakeError) {
        switch error {
        case .overloaded(let retryAfterSeconds):
            self.init(.overloaded, "The gateway's queue is full.", retryAfterSeconds: retryAfterSeconds)
        case .stopping:
            self.init(.overloaded, "The gateway is stopping.", retryAfterSeconds: 5)
        case .storage(let error):
            self.init(error)
        case .fault(let fault):
            self.init(fault)
        }
    }

    /// Converts a fault of the host.
    package init(_ fault: HostFault) {
        switch fault {
        case .fileDescriptorsExhausted:
            self.init(.overloaded, "The gateway has no file descriptor left.", retryAfterSeconds: 5)
        case .diskSpaceLow:
            self.init(.overloaded, "The gateway's disk is nearly full.", retryAfterSeconds: 30)
        }
    }

    /// Converts the core's health when it accepts no events; every fault is named.
    init(notReady health: DeliveryHealth) {
        var reasons = health.faults.sorted { $0.rawValue < $1.rawValue }.map { Problem($0) }
        if let error = health.storeError { reasons.insert(Problem(error), at: 0) }
        let text = reasons.map(\.detail).joined(separator: " ")
        self.init(
            .overloaded,
            text.isEmpty ? "The gateway is starting or stopping." : text,
            retryAfterSeconds: reasons.compactMap(\.retryAfterSeconds).max() ?? 1
        )
    }

    /// Converts the reason for which a valid event was not stored.
    package init(_ rejection: EventRejection) {
        switch rejection {
        case .unknownConversation:
            self.init(invalid: "/conversation", "is not known")
        case .unknownMessage:
            self.init(invalid: "/upToMessageId", "is not a message of the conversation")
        case .unknownBrand:
            self = .notFound("brand")
        case .unknownToken: self.init(.forbidden, "The device token is not registered.")
        case .notReceived: self.init(.forbidden, "The device does not receive such pushes.")
        }
    }

    /// Converts an authentication error.
    package init(_ error: AuthenticationError) {
        switch error {
        case .unauthorized: self.init(.unauthorized, error.text)
        case .tokenExpired: self.init(.tokenExpired, error.text)
        case .tokenInvalid: self.init(.tokenInvalid, error.text, reason: error.reason)
        case .missingClaim(let name):
            self.init(.tokenInvalid, error.text, reason: error.reason)
            claim = name
        case .invalidClaim(let name, let detail):
            self.init(invalid: "/token/" + name, detail)
            isAboutClaim = true
        case .upstreamUnavailable: self.init(.upstreamUnavailable, error.text)
        }
    }

    /// Converts the reason for which a payload was not signed.
    package init(_ rejection: SigningError) {
        switch rejection {
        case .noKey: self.init(.conflict, "There is no active SDK key that can sign.")
        case .payload(let member, let detail):
            self.init(invalid: FieldProblem.pointer(["payload"] + (member.map { [$0] } ?? [])), detail)
        case .claim(.invalidClaim(let name, let detail)):
            self.init(invalid: "/payload/" + name, detail)
            isAboutClaim = true
        case .claim(let error): self.init(error)
        }
    }

    /// Converts the reason for which a session was not opened, found or ended.
    package init(_ error: SessionError) {
        switch error {
        case .refused(let error): self.init(error)
        case .unknownBrand: self = .notFound("brand")
        case .storage(let error): self.init(error)
        }
    }

    /// Converts the reason for which an authorization code was not redeemed.
    init(_ error: CodeExchangeError) {
        switch error {
        case .refused(let error): self.init(error)
        case .overloaded:
            self.init(.overloaded, "Too many logins wait for the identity provider.", retryAfterSeconds: 1)
        case .limited(let seconds):
            self.init(.rateLimited, "Too many codes for this identity provider.", retryAfterSeconds: seconds)
        case .storage(let error): self.init(error)
        }
    }

    /// Converts the reason for which an app gets no access token: only a denial is 403 (R169, R171).
    init(_ error: AccessTokenError) {
        switch error {
        case .denied(let reason): self.init(.forbidden, "The brand denies the access token.", reason: reason)
        case .unavailable:
            self.init(.upstreamUnavailable, "The service that issues access tokens is unavailable; try again later.")
        case .overloaded:
            self.init(.overloaded, "Too many apps wait for an access token.", retryAfterSeconds: 1)
        }
    }

    /// Converts the reason for which a body is not acceptable JSON.
    package init(_ rejection: StrictJSON.Rejection) {
        switch rejection {
        case .syntax: self = EventParseError.malformed
        case .encoding: self = .unreadable("The text is not valid UTF-8.")
        case .depth: self = .unreadable("The JSON nests deeper than \(EventParser.maxDepth) levels.")
        case .duplicate(let name):
            let shown = String(name.text.unicodeScalars.prefix(64)).debugDescription
            self.init(invalid: "", "contains the member \(shown) more than once")
        case .longName:
            self.init(invalid: "", "contains a member whose name has more than \(BoundedName.maxBytes) bytes")
        case .values: self = .unreadable("The JSON contains more than \(StrictJSON.maxValues) values.")
        }
    }

    /// Converts the reason for which an administrative change was not made.
    package init(_ error: DirectoryError) {
        switch error {
        case .storage(let error): self.init(error)
        case .duplicate: self.init(.conflict, "The id or the name is already used.")
        case .notFound: self.init(.notFound, "The resource does not exist.")
        case .changed:
            self.init(.conflict, "The resource was changed since it was read: read it again and repeat the change.")
        case .forbidden: self = .forbidden
        case .linkHostTaken(let host): self.init(.conflict, "The link host \(host) belongs to another brand.")
        case .linkHostUsed(let host):
            self.init(.conflict, "The link host \(host) is used by an app: change or delete the app first.")
        case .tooManyCredentials:
            let most = Directory.maxCredentialsPerBrand
            self.init(.conflict, "A brand has at most \(most) credentials: revoke unused ones.")
        case .tooManyHooks: self.init(.conflict, "A brand has at most \(Directory.maxHooksPerBrand) hooks.")
        case .invalid(let problems):
            self.init(invalid: problems.map { FieldProblem(pointer: $0.pointer, detail: $0.detail) })
        case .busy: self.init(.overloaded, "Too many administrative changes are waiting.", retryAfterSeconds: 1)
        case .wrongMasterKey, .damaged, .sealing: self.init(.internal, "A stored secret cannot be used.")
        }
    }

    /// Converts Hummingbird's own errors: no route, no body, a body that cannot be decoded.
    init(_ error: any HTTPResponseError) {
        switch error.status.code {
        case 404: self = .notFound("resource")
        case 408: self.init(.invalidRequest, status: 408, "The request did not arrive in time.")
        case 413: self.init(.payloadTooLarge, "The body is too long.")
        case 415: self.init(.unsupportedMediaType, "The media type of the body is not supported.")
        case 429: self.init(.rateLimited, "Too many requests.")
        case 503: self.init(.overloaded, "The gateway cannot handle the request now.")
        case 400..<500: self.init(.invalidRequest, status: 400, "The request is invalid.")
        default: self.init(.internal, "Internal error of the gateway.")
        }
    }
}
