import Foundation
import GatewayModel
import GatewayStorage
import Messaging
import Metrics
import Synchronization
import Telemetry
import TestSupport
import Testing

@Suite("Changes that windows receive")
struct WindowHubTests {
    /// A window that records the changes that it receives.
    private final class Port: WindowPort {
        private let kept = Mutex<[String]>([])

        var reported: [String] { kept.withLock { $0 } }

        func post(_ windowEvents: [WindowEvent.Kind]) {
            let words = windowEvents.map { kind in
                switch kind {
                case .message(let message): "\(message.conversation)#\(message.sequence)"
                case .read(let conversation, let sequence, _): "read \(conversation)#\(sequence)"
                case .resolved(let conversation, _): "resolved \(conversation)"
                case .typing(let conversation, let byConsumer): "typing \(conversation) \(byConsumer ? "us" : "them")"
                }
            }
            kept.withLock { $0 += words }
        }

        func recheck(_ close: WindowClose) {}
    }

    private struct NoPresence: WindowPresence {
        func windowOpened(_ name: ConsumerName, device: DeviceID?) {}
        func windowClosed(_ name: ConsumerName, device: DeviceID?) {}
    }

    private let clock = TestClock()
    private let hub: WindowHub
    private let c = Steps.conversation("c")

    init() {
        let start = ContinuousClock.now
        hub = WindowHub(
            presence: NoPresence(),
            metrics: WindowMetrics(factory: NOOPMetricsHandler.instance)
        ) { [clock] in start.advanced(by: .nanoseconds(clock.monotonicNanoseconds)) }
    }

    private func open(_ consumer: String = "u-1") throws -> (Port, WindowTicket) {
        let session = StoredSession(
            tokenHash: [1],
            brand: Steps.consumer.brand,
            consumer: ConsumerID(trusted: consumer),
            device: nil,
            credential: nil,
            expiresAt: Timestamp(milliseconds: 1),
            createdAt: Timestamp(milliseconds: 0)
        )
        let port = Port()
        return (port, try #require(hub.open(port, session: session, device: nil)))
    }

    private func windowEvent(_ kind: WindowEvent.Kind, from origin: WindowID? = nil) -> WindowEvent {
        var event = WindowEvent(consumer: Steps.consumer, kind: kind)
        event.origin = origin
        return event
    }

    @Test("do not include their own, and keep the order of the rest")
    func origins() throws {
        let ((one, ticket), (two, _), (other, _)) = (try open(), try open(), try open("u-2"))
        hub.committed([
            windowEvent(.message(Steps.message("c", 1))), windowEvent(.message(Steps.message("c", 2)), from: ticket.id),
            windowEvent(.message(Steps.message("c", 3))), windowEvent(.read(c, upToSequence: 3, unread: 0)),
        ])
        #expect(one.reported == ["c#1", "c#3", "read c#3"])
        #expect(two.reported == ["c#1", "c#2", "c#3", "read c#3"])
        hub.close(ticket)
        hub.committed([windowEvent(.message(Steps.message("c", 4)), from: ticket.id)])
        #expect(two.reported.last == "c#4")
        #expect(one.reported.count == 3 && other.reported.isEmpty)
    }

    @Test("include typing, once a second for each side of each conversation")
    func typing() throws {
        let ((one, ticket), (two, _)) = (try open(), try open())
        let d = Steps.conversation("d")
        hub.committed(
            (0..<1000).map { _ in windowEvent(.typing(c, byConsumer: false)) } + [
                windowEvent(.typing(d, byConsumer: false))
            ]
        )
        #expect(one.reported == ["typing c them", "typing d them"] && two.reported == one.reported)
        clock.advance(milliseconds: 999)
        hub.committed([windowEvent(.typing(c, byConsumer: false))])
        #expect(hub.admitsTyping(Steps.consumer, c, byConsumer: true))
        #expect(!hub.admitsTyping(Steps.consumer, c, byConsumer: true))
        hub.types(Steps.consumer, c, in: ticket.id)
        #expect(one.reported.count == 2 && two.reported.last == "typing c us")
        clock.advance(milliseconds: 1)
        hub.committed([windowEvent(.typing(c, byConsumer: false)), windowEvent(.typing(c, byConsumer: false))])
        #expect(one.reported == ["typing c them", "typing d them", "typing c them"])
    }

    @Test("do not include the typing of more sides than fit into memory, until some are evicted")
    func typingIsBounded() {
        for number in 0..<20_000 {
            let isAdmitted = hub.admitsTyping(Steps.consumer, Steps.conversation("\(number)"), byConsumer: true)
            #expect(isAdmitted)
        }
        #expect(!hub.admitsTyping(Steps.consumer, c, byConsumer: true))
        let other = ConsumerName(brand: BrandID(trusted: "other"), consumer: Steps.consumer.consumer)
        #expect(hub.admitsTyping(other, c, byConsumer: true))
        clock.advance(seconds: 1)
        #expect(hub.admitsTyping(Steps.consumer, c, byConsumer: true))
    }
}
