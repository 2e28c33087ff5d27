// swift-tools-version: 6.2
import PackageDescription

/// Whether the fuzzers are built: `Deploy/fuzz.sh` sets it, and has a build directory of its own.
let fuzzes = Context.environment["SWITCHBOARD_FUZZ"] != nil

/// Whether only the programs are built, without tests and what they need: `Deploy/quickstart.sh` sets it.
///
/// SwiftPM builds one product or everything. One build of all programs takes less time than one after the other.
let onlyPrograms = Context.environment["SWITCHBOARD_ONLY_PROGRAMS"] != nil

/// What makes libFuzzer see which ways an input took, and memory that is read beyond its end.
let sanitizers: [SwiftSetting] = fuzzes ? [.unsafeFlags(["-sanitize=fuzzer,address"])] : []

/// Whether warnings are errors.
///
/// `.ci/run` sets it. A user whose compiler is newer and warns of more must be able to build.
let isStrict = Context.environment["SWITCHBOARD_WARNINGS_AS_ERRORS"] != nil

/// One settings list for every target, so that no room is held to less than the others.
let settings: [SwiftSetting] =
    [
        .swiftLanguageMode(.v6),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ] + (isStrict ? [.treatAllWarnings(as: .error)] : []) + sanitizers

let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let nioEmbedded = Target.Dependency.product(name: "NIOEmbedded", package: "swift-nio")
let nioHTTP1 = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let nioWebSocket = Target.Dependency.product(name: "NIOWebSocket", package: "swift-nio")
let nioSSL = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")
let nioConcurrency = Target.Dependency.product(name: "NIOConcurrencyHelpers", package: "swift-nio")
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let cryptoExtras = Target.Dependency.product(name: "CryptoExtras", package: "swift-crypto")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let metrics = Target.Dependency.product(name: "Metrics", package: "swift-metrics")
let tracing = Target.Dependency.product(name: "Tracing", package: "swift-distributed-tracing")
let collections = Target.Dependency.product(name: "DequeModule", package: "swift-collections")
let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let httpClient = Target.Dependency.product(name: "AsyncHTTPClient", package: "async-http-client")
let lifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")

/// The allocator of the programs that store or decide.
///
/// An event is parsed on one thread, stored on a second and sent on a third, so most of what is allocated is given back
/// by another thread: what glibc's per-thread caches are too short for. Measured on batch ingest: a fifth less CPU a
/// notification.
let allocator = LinkerSetting.linkedLibrary("jemalloc")

let package = Package(
    name: "switchboard",
    // For the device library; the gateway runs on Linux.
    platforms: [.iOS(.v16), .macOS(.v13)],
    products: [
        .library(name: "SwitchboardClient", targets: ["SwitchboardClient"]),
        .library(name: "SwitchboardClientLinux", targets: ["SwitchboardClientLinux"]),
        .executable(name: "switchboard", targets: ["switchboard"]),
        .executable(name: "switchboard-demo", targets: ["switchboard-demo"]),
        .executable(name: "switchboard-device", targets: ["switchboard-device"]),
        .executable(name: "push-simulator", targets: ["push-simulator"]),
        .executable(name: "switchboard-bench", targets: ["switchboard-bench"]),
        .executable(name: "switchboard-proof", targets: ["switchboard-proof"]),
    ],
    // An app that uses the device library turns the default off with `traits: []`.
    traits: [
        .default(enabledTraits: ["Gateway"]),
        .trait(
            name: "Gateway",
            description: "The gateway, its tools and all tests.",
            enabledTraits: ["LinuxWindow"]
        ),
        .trait(name: "LinuxWindow", description: "SwitchboardClientLinux: the messaging window over SwiftNIO."),
    ],
    // Exact versions, so that a build repeats. An app that uses the device library shares swift-log and swift-nio with it.
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", exact: "1.6.0"),
        .package(url: "https://github.com/apple/swift-configuration", exact: "1.4.0", traits: ["YAML"]),
        .package(url: "https://github.com/apple/swift-crypto", exact: "4.5.2"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", exact: "1.7.3"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", exact: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", exact: "2.37.6"),
        .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1", traits: []),
        .package(url: "https://github.com/hummingbird-project/swift-mustache", exact: "2.1.1"),
        .package(url: "https://github.com/jpsim/Yams", exact: "6.2.2"),
        .package(url: "https://github.com/swift-server/async-http-client", exact: "1.37.0", traits: []),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", exact: "2.13.0"),
    ],
    targets: [
        // System libraries and shims.
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CNghttp2", pkgConfig: "libnghttp2", providers: [.apt(["libnghttp2-dev"])]),
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        // The description of the HTTP API, embedded by the C compiler: a Swift literal would be a second copy of the file.
        .target(name: "COpenAPI"),
        .target(name: "CSQLite", linkerSettings: [.linkedLibrary("sqlite3")]),
        .target(
            name: "CSimdjson",
            cxxSettings: [.unsafeFlags(["-O3"] + (fuzzes ? ["-fsanitize=fuzzer-no-link,address"] : []))],
            linkerSettings: [.linkedLibrary("simdjson")]
        ),

        // Texts and their forms, below everything.
        .target(name: "TextFormats", swiftSettings: settings),

        // Hashes, ciphers, keys and certificates as values.
        .target(name: "Cryptography", dependencies: ["COpenSSL", "TextFormats"], swiftSettings: settings),

        // Shares of what is scarce.
        .target(name: "FairSharing", dependencies: [collections], swiftSettings: settings),

        // The words, and what everything may say about itself.
        .target(name: "GatewayModel", dependencies: ["TextFormats"], swiftSettings: settings),
        .target(
            name: "Telemetry",
            dependencies: ["FairSharing", "GatewayModel", "TextFormats", logging, metrics, tracing],
            swiftSettings: settings
        ),

        // Sending.
        .target(
            name: "PushPayloads",
            dependencies: ["GatewayModel", "TextFormats", .product(name: "Mustache", package: "swift-mustache")],
            swiftSettings: settings
        ),
        .target(name: "TLS", dependencies: ["COpenSSL", nioCore], swiftSettings: settings),
        .target(
            name: "HTTP2Connections",
            dependencies: ["CNghttp2", "TLS", nioCore, nioPosix, nioConcurrency, collections, logging],
            swiftSettings: settings
        ),
        .target(
            name: "PushProviders",
            dependencies: [
                "Cryptography", "FairSharing", "GatewayModel", "GuardedHTTP", "HTTP2Connections", "PushPayloads",
                "TLS", "Telemetry", "TextFormats", logging, nioCore, nioPosix, "HTTPTransfers",
            ],
            swiftSettings: settings
        ),

        // Asking others, and whom others chose.
        .target(name: "HTTPTransfers", dependencies: ["CCurl", "COpenSSL"], swiftSettings: settings),
        .target(
            name: "GuardedHTTP",
            dependencies: ["FairSharing", "HTTPTransfers", "TextFormats", nioCore, nioPosix],
            swiftSettings: settings
        ),

        // Storing.
        .target(name: "GatewayStorage", dependencies: ["GatewayModel", "TextFormats"], swiftSettings: settings),
        .target(name: "TurnRules", dependencies: ["GatewayModel", "GatewayStorage"], swiftSettings: settings),
        .target(
            name: "SQLStorage",
            dependencies: ["GatewayModel", "GatewayStorage", "TurnRules"],
            swiftSettings: settings
        ),
        .target(
            name: "SQLiteStorage",
            dependencies: [
                "CSQLite", "Cryptography", "GatewayModel", "GatewayStorage", "SQLStorage", "Telemetry", "TextFormats",
                "TurnRules",
                collections, logging,
            ],
            swiftSettings: settings
        ),

        // Deciding.
        .target(
            name: "Identity",
            dependencies: [
                "COpenSSL", "Cryptography", "FairSharing", "GatewayModel", "GatewayStorage", "TextFormats",
            ],
            swiftSettings: settings
        ),
        .target(
            name: "IdentityProviders",
            dependencies: [
                "Cryptography", "FairSharing", "GatewayModel", "GatewayStorage", "GuardedHTTP", "Identity", "Telemetry",
                "TextFormats",
                logging, metrics,
            ],
            swiftSettings: settings
        ),
        .target(
            name: "Delivery",
            dependencies: [
                "GatewayModel", "GatewayStorage", "PushProviders", "Telemetry",
                collections, lifecycle, logging, metrics,
            ],
            swiftSettings: settings
        ),

        .target(
            name: "Outbound",
            dependencies: [
                "Cryptography", "FairSharing", "GatewayModel", "GatewayStorage", "GuardedHTTP", "Telemetry",
                "TextFormats",
                lifecycle, logging, metrics,
            ],
            swiftSettings: settings
        ),

        // Talking with open windows.
        .target(
            name: "Messaging",
            dependencies: [
                "Delivery", "FairSharing", "GatewayModel", "GatewayStorage", "Identity", "Telemetry", logging, metrics,
            ],
            swiftSettings: settings
        ),

        // Speaking.
        .target(
            name: "GatewayHTTP",
            dependencies: [
                "COpenAPI", "CSimdjson", "CZlib", "Cryptography", "Delivery", "FairSharing", "GatewayModel",
                "GatewayStorage",
                "GuardedHTTP", "HTTP2Connections", "Identity", "IdentityProviders", "Messaging", "Outbound",
                "PushPayloads", "PushProviders", "TLS", "Telemetry", "TextFormats", hummingbird, logging, metrics,
                nioCore, nioHTTP1, nioWebSocket, lifecycle,
            ],
            exclude: ["openapi.yaml"],
            swiftSettings: settings
        ),
        .target(
            name: "GatewayClient",
            dependencies: ["HTTPTransfers", "TextFormats"],
            swiftSettings: settings
        ),

        // One gateway with all its parts, and the command line.
        .target(
            name: "Gateway",
            dependencies: [
                "Delivery", "GatewayClient", "GatewayHTTP", "GatewayModel", "GatewayStorage", "GuardedHTTP",
                "Identity", "IdentityProviders", "Messaging", "Outbound", "PushProviders", "SQLiteStorage", "TLS",
                "Telemetry", "TextFormats", hummingbird, lifecycle, logging, metrics, nioCore, "HTTPTransfers",
                nioPosix,
                .product(name: "Configuration", package: "swift-configuration"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "switchboard",
            dependencies: [
                "Gateway", "GatewayClient", "GatewayModel", "GatewayStorage", "Identity", "PushProviders", "Telemetry",
                "TextFormats", arguments, lifecycle, logging,
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
                .product(name: "Yams", package: "Yams"),
            ],
            swiftSettings: settings,
            linkerSettings: [allocator]
        ),

        // The library of devices: nothing of the gateway. Digests are CryptoKit's on Apple's platforms.
        .target(
            name: "SwitchboardClient",
            dependencies: [.target(name: "COpenSSL", condition: .when(platforms: [.linux])), logging],
            swiftSettings: settings
        ),
        .target(
            name: "SwitchboardClientLinux",
            dependencies: ["SwitchboardClient", "TLS", nioCore, nioHTTP1, nioPosix, nioWebSocket],
            swiftSettings: settings
        ),

        // Standing in for Apple and Google, and the demonstration with them.
        .target(
            name: "PushSimulator",
            dependencies: [
                "Cryptography", "HTTP2Connections", "TLS", "TextFormats", hummingbird, logging, nioCore, nioPosix,
                lifecycle,
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "push-simulator",
            dependencies: [
                "PushSimulator", arguments, logging, lifecycle,
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            swiftSettings: settings
        ),

        .executableTarget(
            name: "switchboard-demo",
            dependencies: [
                "GatewayClient", "PushSimulator", arguments, lifecycle, logging,
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            swiftSettings: settings
        ),

        .executableTarget(
            name: "switchboard-device",
            dependencies: ["SwitchboardClient", "SwitchboardClientLinux", arguments],
            swiftSettings: settings
        ),

        // Under Tests/Proof: what tests share, the storage contract, real processes for tests and measurements, the
        // benchmark, the proofs.
        .target(
            name: "TestSupport",
            dependencies: ["CNghttp2", "GatewayModel", "HTTP2Connections", nioCore, nioPosix, collections],
            path: "Tests/Proof/TestSupport",
            swiftSettings: settings
        ),
        .target(
            name: "StorageContract",
            dependencies: ["GatewayModel", "GatewayStorage", "TestSupport", "TextFormats"],
            path: "Tests/Proof/StorageContract",
            swiftSettings: settings
        ),
        .target(
            name: "ProcessHarness",
            dependencies: ["GatewayClient", httpClient, nioCore, nioHTTP1, nioPosix],
            path: "Tests/Proof/ProcessHarness",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "switchboard-bench",
            dependencies: [
                "COpenSSL", "CSQLite", "Delivery", "GatewayClient", "GatewayHTTP", "GatewayModel", "GatewayStorage",
                "GuardedHTTP", "HTTP2Connections", "HTTPTransfers", "Identity", "ProcessHarness", "PushPayloads",
                "PushProviders",
                "PushSimulator", "SQLiteStorage", "Telemetry", "TextFormats",
                arguments, crypto, cryptoExtras, httpClient, hummingbird, lifecycle, logging, nioCore, nioPosix,
                nioWebSocket,
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOFoundationCompat", package: "swift-nio"),
            ],
            path: "Tests/Proof/switchboard-bench",
            swiftSettings: settings,
            linkerSettings: [allocator]
        ),
        .target(
            name: "DeliverySimulation",
            dependencies: ["Delivery", "GatewayModel", "GatewayStorage", "PushProviders", "TurnRules", collections],
            path: "Tests/Proof/DeliverySimulation",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "switchboard-proof",
            dependencies: [
                "DeliverySimulation", "GatewayModel", "HTTP2Connections", "HTTPTransfers", "ProcessHarness",
                "PushProviders",
                "PushSimulator", arguments,
                "Cryptography", httpClient, logging, nioCore, nioHTTP1, nioPosix,
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            path: "Tests/Proof/switchboard-proof",
            swiftSettings: settings,
            linkerSettings: [allocator]
        ),

        // Feeding the readers of foreign bytes with whatever a fuzzer finds.
        .target(
            name: "DerivationCounter",
            dependencies: ["COpenSSL"],
            path: "Tests/Fuzz/DerivationCounter"
        ),
        .target(
            name: "FuzzChecks",
            dependencies: ["CSimdjson", "DerivationCounter", "TLS", "TextFormats"],
            path: "Tests/Fuzz/Checks",
            swiftSettings: settings
        ),
        .testTarget(name: "FuzzCorpusTests", dependencies: ["FuzzChecks"], swiftSettings: settings),

        // Tests.
        .testTarget(name: "TextFormatsTests", dependencies: ["TestSupport", "TextFormats"], swiftSettings: settings),
        .testTarget(
            name: "CryptographyTests",
            dependencies: ["COpenSSL", "Cryptography", "ProcessHarness", "TextFormats"],
            swiftSettings: settings
        ),
        .testTarget(name: "FairSharingTests", dependencies: ["FairSharing", "TestSupport"], swiftSettings: settings),
        .testTarget(name: "GatewayModelTests", dependencies: ["GatewayModel", "TestSupport"], swiftSettings: settings),
        .testTarget(
            name: "TelemetryTests",
            dependencies: ["Telemetry", "GatewayModel", "TestSupport", logging, metrics, tracing],
            swiftSettings: settings
        ),
        .testTarget(
            name: "PushPayloadsTests",
            dependencies: ["PushPayloads", "GatewayModel", "ProcessHarness", "SwitchboardClient", "TextFormats"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "HTTP2ConnectionsTests",
            dependencies: [
                "HTTP2Connections", "TLS", "CNghttp2", "COpenSSL", "TestSupport", nioCore, nioPosix, nioEmbedded,
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "PushProvidersTests",
            dependencies: [
                "PushProviders", "PushPayloads", "GatewayModel", "GuardedHTTP", "HTTP2Connections", "PushSimulator",
                "Cryptography", "TLS", "Telemetry", "TestSupport", logging, nioCore, nioPosix, "HTTPTransfers",
            ],
            swiftSettings: settings
        ),
        .testTarget(name: "SQLStorageTests", dependencies: ["SQLStorage"], swiftSettings: settings),
        .testTarget(
            name: "SQLiteStorageTests",
            dependencies: [
                "SQLiteStorage", "StorageContract", "GatewayStorage", "GatewayModel", "SQLStorage", "TestSupport",
                "TurnRules",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ],
            exclude: ["Fixtures"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "IdentityTests",
            dependencies: [
                "Identity", "GatewayModel", "GatewayStorage", "ProcessHarness", "SQLiteStorage", "TestSupport",
                "TextFormats", crypto, cryptoExtras, logging,
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "IdentityProvidersTests",
            dependencies: [
                "IdentityProviders", "GatewayModel", "GatewayStorage", "GuardedHTTP", "HTTPTransfers", "Identity",
                "ProcessHarness",
                "PushSimulator", "SQLiteStorage", "Telemetry", "TestSupport", "TextFormats",
                crypto, cryptoExtras,
                logging, metrics,
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "DeliveryTests",
            dependencies: [
                "Delivery", "GatewayModel", "GatewayStorage", "PushPayloads", "PushProviders", "SQLiteStorage",
                "Telemetry", "TestSupport", lifecycle, logging, metrics,
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "HTTPTransfersTests",
            dependencies: ["HTTPTransfers", "ProcessHarness"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "GuardedHTTPTests",
            dependencies: ["GuardedHTTP", "ProcessHarness", "TestSupport"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "OutboundTests",
            dependencies: [
                "Outbound", "GatewayModel", "GatewayStorage", "GuardedHTTP", "ProcessHarness", "SQLiteStorage",
                "Telemetry", "TestSupport",
                crypto, lifecycle, logging, metrics, nioPosix,
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "DeliverySimulationTests",
            dependencies: [
                "DeliverySimulation", "Delivery", "GatewayModel", "GatewayStorage", "SQLiteStorage", logging,
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "MessagingTests",
            dependencies: [
                "Messaging", "Delivery", "GatewayModel", "GatewayStorage", "Identity", "Telemetry", "TestSupport",
                metrics,
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "GatewayHTTPTests",
            dependencies: [
                "CSimdjson", "CZlib", "Cryptography", "GatewayHTTP", "Delivery", "GatewayModel", "GatewayStorage",
                "GuardedHTTP",
                "Identity", "IdentityProviders", "Messaging", "Outbound", "ProcessHarness", "PushSimulator",
                "SQLiteStorage", "TestSupport", "TextFormats", crypto, nioEmbedded,
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "PushSimulatorTests",
            dependencies: [
                "PushSimulator", "GatewayModel", "HTTP2Connections", "TLS", "TestSupport", "TextFormats",
                "Cryptography", nioCore, nioPosix,
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "SendingTests",
            dependencies: [
                "Delivery", "GatewayModel", "GatewayStorage", "HTTP2Connections", "PushPayloads", "PushProviders",
                "PushSimulator", "SQLiteStorage", "Telemetry", "TestSupport", "Cryptography",
                lifecycle, logging, nioCore, nioPosix, "HTTPTransfers",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "GatewayClientTests",
            dependencies: ["GatewayClient", "HTTPTransfers"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "SwitchboardClientTests",
            dependencies: [
                "SwitchboardClient", logging, .product(name: "InMemoryLogging", package: "swift-log"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "SwitchboardClientLinuxTests",
            dependencies: [
                "ProcessHarness", "SwitchboardClient", "SwitchboardClientLinux", "TLS", nioCore, nioHTTP1, nioPosix,
                nioWebSocket,
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "SwitchboardDeviceTests",
            dependencies: ["switchboard-device", "SwitchboardClient"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ConfigurationTests",
            dependencies: [
                "switchboard", "Delivery", "Gateway", "GatewayClient", "GatewayHTTP", "GatewayModel", "GuardedHTTP",
                "Identity", "Messaging", "Outbound", "PushProviders", "Telemetry", "TestSupport", arguments, logging,
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "LifeTests",
            dependencies: [
                "CSQLite", "switchboard", "switchboard-proof", "Gateway", "GatewayClient", "ProcessHarness",
                "PushSimulator",
                "SwitchboardClient", "SwitchboardClientLinux", "TLS", "GatewayModel", "TestSupport",
                httpClient, logging, nioCore, nioPosix, crypto, cryptoExtras,
            ],
            swiftSettings: settings
        ),
    ],
    cxxLanguageStandard: .cxx17
)

if fuzzes {
    package.targets += [
        .target(name: "CFuzzer", path: "Tests/Fuzz/Program/CFuzzer"),
        .executableTarget(
            name: "switchboard-fuzz",
            dependencies: ["CFuzzer", "FuzzChecks"],
            path: "Tests/Fuzz/Program/Main",
            swiftSettings: settings,
            linkerSettings: [.unsafeFlags(["-sanitize=fuzzer,address"])]
        ),
    ]
}

if onlyPrograms {
    package.targets.removeAll { $0.type == .test || $0.path?.hasPrefix("Tests/") == true }
    package.products.removeAll { ["switchboard-bench", "switchboard-proof"].contains($0.name) }
    let ofTests = ["GRDB.swift", "async-http-client", "swift-crypto", "swift-nio-ssl"]
    package.dependencies.removeAll { dependency in
        guard case .sourceControl(_, let location, _) = dependency.kind else { return false }
        return ofTests.contains { location.hasSuffix("/" + $0) }
    }
}

// What a target uses of other packages has the condition of a trait, except in the device library: SwiftPM does not fetch
// a package if every use of it has a condition that does not hold.
for target in package.targets where target.name != "SwitchboardClient" {
    let trait = target.name == "SwitchboardClientLinux" ? "LinuxWindow" : "Gateway"
    target.dependencies = target.dependencies.map { dependency in
        guard case .productItem(let name, let package, let aliases, _) = dependency else { return dependency }
        return .productItem(name: name, package: package, moduleAliases: aliases, condition: .when(traits: [trait]))
    }
}
