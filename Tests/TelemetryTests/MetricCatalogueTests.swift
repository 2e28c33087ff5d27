import GatewayModel
import Metrics
import Telemetry
import Testing

@Suite("Metric catalogue")
struct MetricCatalogueTests {
    @Test("names follow the naming rules", arguments: MetricCatalogue.all.map(\.name))
    func names(name: String) throws {
        let declaration = try #require(MetricCatalogue.all.first { $0.name == name })
        #expect(name.hasPrefix("switchboard_") || name.hasPrefix("process_"))
        #expect(name.utf8.allSatisfy { $0 == UInt8(ascii: "_") || ($0 >= 0x61 && $0 <= 0x7A) })
        #expect((declaration.kind == .counter) == name.hasSuffix("_total"))
        if case .histogram(let bounds) = declaration.kind {
            #expect(bounds == bounds.sorted() && Set(bounds).count == bounds.count)
        }
        #expect(!declaration.help.isEmpty)
        #expect(Set(declaration.labels).isDisjoint(with: ["brand", "consumer", "device", "token", "path"]))
    }

    @Test("no name is declared twice")
    func unique() {
        #expect(Set(MetricCatalogue.all.map(\.name)).count == MetricCatalogue.all.count)
    }

    @Test("every series of the prepared objects is declared, with the declared labels")
    func preparedObjectsAreDeclared() throws {
        let registry = PrometheusRegistry()
        let delivery = DeliveryMetrics(factory: registry)
        let http = HTTPMetrics(factory: registry)
        let process = ProcessMetrics(factory: registry)
        HostMetrics<CutOffLabel>(factory: registry).record(freeBytes: 1 << 30)
        _ = CertificateMetrics<CutOffLabel>(factory: registry)
        registry.addCollector { process.collect() }
        _ = OutboundMetrics(factory: registry)
        _ = OperatorMetrics(factory: registry)
        for metric in [MetricCatalogue.objectives, MetricCatalogue.canaries] {
            _ = ConditionMetrics<CutOffLabel>(metric, factory: registry)
        }
        _ = TraceMetrics(factory: registry)
        _ = ClockMetrics(factory: registry)
        LogMetrics(factory: registry).record(droppedLines: 1)
        _ = WindowMetrics(factory: registry)
        let housekeeping = HousekeepingMetrics(factory: registry)
        housekeeping.removed[.expired].increment()
        housekeeping.held.recordNanoseconds(1)
        delivery.events[.accepted].increment()
        delivery.storeFailed("full")
        IdentityProviderMetrics(factory: registry).duration[.code].recordNanoseconds(1)
        let providers = ProviderMetrics(factory: registry)
        providers.connectionEnded(.apns, reason: "goaway")
        delivery.recordResponse(.apns, Self.response(.rejected(token: .quarantine), "BadDeviceToken"), queuedAt: nil)
        http.route(method: "GET", template: "/livez").record(status: 200, nanoseconds: 1_000_000)
        let text = registry.render()
        var seen: Set<String> = []
        for line in text.split(separator: "\n") where line.hasPrefix("# TYPE ") {
            let name = String(line.split(separator: " ")[2])
            seen.insert(name)
            #expect(MetricCatalogue.all.contains { $0.name == name }, "\(name) is not declared")
        }
        #expect(seen == Set(MetricCatalogue.all.map(\.name)))
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            let name = String(line.prefix { $0 != "{" && $0 != " " })
            let base = ["_bucket", "_sum", "_count"].reduce(name) {
                $0.hasSuffix($1) ? String($0.dropLast($1.count)) : $0
            }
            let declaration = try #require(MetricCatalogue.all.first { $0.name == name || $0.name == base })
            for label in declaration.labels { #expect(line.contains("\(label)=\"")) }
        }
        let resident = try #require(
            text.split(separator: "\n").first { $0.hasPrefix("process_resident_memory_bytes ") }
        )
        #expect(try #require(Double(resident.split(separator: " ")[1])) > 1_000_000)
    }

    @Test("responses are counted by provider, outcome and documented reason")
    func responses() {
        let registry = PrometheusRegistry()
        let metrics = DeliveryMetrics(factory: registry)
        let queued = Timestamp(milliseconds: 1_000_000)
        metrics.recordResponse(.apns, Self.response(.accepted(providerID: nil), nil), queuedAt: queued)
        metrics.recordResponse(.fcm, Self.response(.unregistered(since: nil), "UNREGISTERED"), queuedAt: queued)
        metrics.recordResponse(
            .fcm,
            Self.response(.retry(afterSeconds: nil, scope: .lane), "<html>5"),
            queuedAt: queued
        )
        metrics.recordResponse(
            .fcm,
            Self.response(.retry(afterSeconds: nil, scope: .lane), "<html>6"),
            queuedAt: queued
        )
        let text = registry.render()
        let name = "switchboard_delivery_outcomes_total"
        #expect(text.contains("\(name){outcome=\"accepted\",provider=\"apns\",reason=\"\"} 1\n"))
        #expect(text.contains("\(name){outcome=\"unregistered\",provider=\"fcm\",reason=\"UNREGISTERED\"} 1\n"))
        #expect(text.contains("\(name){outcome=\"retry\",provider=\"fcm\",reason=\"other\"} 2\n"))
        #expect(!text.contains("html"))
        #expect(text.contains("switchboard_delivery_end_to_end_seconds_sum{provider=\"apns\"} 0.75\n"))
        #expect(text.contains("switchboard_delivery_end_to_end_seconds_count{provider=\"fcm\"} 0\n"))
        #expect(text.contains("switchboard_delivery_provider_latency_seconds_sum{provider=\"fcm\"} 0.75\n"))
    }

    @Test("undeclared methods and routes cannot create an unlimited number of series")
    func boundedRoutes() {
        let registry = PrometheusRegistry()
        let metrics = HTTPMetrics(factory: registry)
        for index in 0..<2000 {
            metrics.route(method: "BREW\(index)", template: "/raw/\(index)").record(status: 404, nanoseconds: 1)
        }
        let lines = registry.render().split(separator: "\n").filter { $0.hasPrefix("switchboard_http_requests_total") }
        #expect(lines.count < 3000)
        #expect(!lines.contains { $0.contains("BREW") })
    }

    @Test("the store's errors are at 0 before the first; without TLS there is no expiry")
    func zeros() {
        let registry = PrometheusRegistry()
        DeliveryMetrics(factory: registry).prepareStoreErrors(["full", "locked"])
        let certificates = CertificateMetrics<CutOffLabel>(factory: registry)
        certificates.record(serverExpiresAt: Timestamp(milliseconds: 5_000))
        #expect(registry.render().contains("switchboard_server_certificate_expiry_seconds 5\n"))
        certificates.record(serverExpiresAt: nil)
        let text = registry.render()
        #expect(text.contains("switchboard_store_errors_total{error=\"full\"} 0\n"))
        #expect(text.contains("switchboard_store_errors_total{error=\"locked\"} 0\n"))
        #expect(text.contains("switchboard_server_certificate_expiry_seconds 0\n"))
    }

    @Test("a fault's gauge is 1 while the host has the fault, all other gauges are 0")
    func faults() {
        let registry = PrometheusRegistry()
        let metrics = HostMetrics<CutOffLabel>(factory: registry)
        metrics.record([.slowBody])
        #expect(registry.render().contains("switchboard_machine_fault{fault=\"slow_body\"} 1\n"))
        #expect(registry.render().contains("switchboard_machine_fault{fault=\"slow_head\"} 0\n"))
        metrics.record([])
        #expect(registry.render().contains("switchboard_machine_fault{fault=\"slow_body\"} 0\n"))
    }

    private static func response(_ outcome: PushOutcome, _ reason: String?) -> PushResponse {
        PushResponse(
            outcome: outcome,
            status: 200,
            reason: reason,
            badge: nil,
            sentAt: Timestamp(milliseconds: 1_000_500),
            latencyMilliseconds: 250
        )
    }
}
