/// Every setting, by its key in the file (`section.key`); the one list that the file, the environment and the checks
/// share.
package enum SettingKey: String, CaseIterable, Sendable {
    case serverListen = "server.listen"
    case serverDataDir = "server.dataDir"
    case serverAdminTokenFile = "server.adminTokenFile"
    case serverMasterKeyFile = "server.masterKeyFile"
    case serverMaxConnections = "server.maxConnections"
    case serverMaxRequestsInFlight = "server.maxRequestsInFlight"
    case serverRequestTimeoutSeconds = "server.requestTimeoutSeconds"
    case serverTrustedProxies = "server.trustedProxies"
    case serverHTTP2 = "server.http2"
    case serverTLSCertificate = "server.tls.certificate"
    case serverTLSKey = "server.tls.key"
    case serverTLSClientCA = "server.tls.clientCa"
    case serverInsecure = "server.insecure"
    case limitsConnectionsPerAddress = "limits.connectionsPerAddress"
    case limitsSlotsPerAddress = "limits.slotsPerAddress"
    case limitsWindowsPerAddress = "limits.windowsPerAddress"
    case limitsBodyMegabytes = "limits.bodyMegabytes"
    case limitsAccountRequestsPerSecond = "limits.accountRequestsPerSecond"
    case limitsCredentialRequestsPerSecond = "limits.credentialRequestsPerSecond"
    case limitsSessionRequestsPerSecond = "limits.sessionRequestsPerSecond"
    case limitsAddressRequestsPerSecond = "limits.addressRequestsPerSecond"
    case storageURL = "storage.url"
    case storageMinFreeMegabytes = "storage.minFreeMegabytes"
    case storageCopyBeforeMigration = "storage.copyBeforeMigration"
    case storageMemoryMegabytes = "storage.memoryMegabytes"
    case storageTuneFileAccess = "storage.tuneFileAccess"
    case providerTrustRoots = "provider.trustRoots"
    case providerRequestTimeoutSeconds = "provider.requestTimeoutSeconds"
    case providerMaxConnections = "provider.maxConnections"
    case providerFCMMessagesPerMinute = "provider.fcmMessagesPerMinute"
    case providerProxy = "provider.proxy"
    case providerProxyPasswordFile = "provider.proxyPasswordFile"
    case providerNoProxy = "provider.noProxy"
    case intakeMaxPendingEvents = "intake.maxPendingEvents"
    case intakeMaxPendingBytes = "intake.maxPendingBytes"
    case deliverySlotsPerLane = "delivery.slotsPerLane"
    case deliverySlots = "delivery.slots"
    case deliveryRetryDelaysSeconds = "delivery.retryDelaysSeconds"
    case deliveryDrainDeadlineSeconds = "delivery.drainDeadlineSeconds"
    case retentionDays = "retention.days"
    case outgoingAllowPrivateAddresses = "outgoing.allowPrivateAddresses"
    case outgoingAllowLoopback = "outgoing.allowLoopback"
    case operatorsWebhook = "operators.webhook"
    case operatorsWebhookSecretFile = "operators.webhookSecretFile"
    case retentionAuditDays = "retention.auditDays"
    case operatorsOIDCIssuer = "operators.oidc.issuer"
    case operatorsOIDCClientID = "operators.oidc.clientId"
    case operatorsOIDCClientSecret = "operators.oidc.clientSecret"
    case operatorsOIDCRoles = "operators.oidc.roles"
    case operatorsOIDCMapping = "operators.oidc.mapping"
    case operatorsOIDCName = "operators.oidc.name"
    case operatorsOIDCScopes = "operators.oidc.scopes"
    case windowIdleLimitSeconds = "window.idleLimitSeconds"
    case windowMaxOpen = "window.maxOpen"
    case logLevel = "log.level"
    case logFormat = "log.format"
    case metricsListen = "metrics.listen"
    case telemetryTraces = "telemetry.traces"
    case telemetryTraceShare = "telemetry.traceShare"
    case telemetryTraceHeadersFile = "telemetry.traceHeadersFile"

    /// The prefix of every setting's environment variable.
    static let environmentPrefix = "SWITCHBOARD"

    /// The setting's environment variable: `intake.maxPendingEvents` is `SWITCHBOARD_INTAKE_MAX_PENDING_EVENTS`.
    package var environmentName: String {
        var name = Self.environmentPrefix + "_"
        var previousIsLower = false
        for character in rawValue {
            if character == "." {
                name += "_"
            } else {
                if character.isUppercase, previousIsLower { name += "_" }
                name += character.uppercased()
            }
            previousIsLower = character.isLowercase
        }
        return name
    }
}
