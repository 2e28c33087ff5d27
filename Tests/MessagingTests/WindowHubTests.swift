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

        var told: [String] { kept.withLock { $0 } }

        func post(_ news: [WindowNews.Kind]) {
            let words = news.map { kind in
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

    private func news(_ kind: WindowNews.Kind, from origin: WindowID? = nil) -> WindowNews {
        var news = WindowNews(consumer: Steps.consumer, kind: kind)
        news.origin = origin
        return news
    }

    @Test("do not include their own, and keep the order of the rest")
    func origins() throws {
        let ((one, ticket), (two, _), (other, _)) = (try open(), try open(), try open("u-2"))
        hub.committed([
            news(.message(Steps.message("c", 1))), news(.message(Steps.message("c", 2)), from: ticket.id),
            news(.message(Steps.message("c", 3))), news(.read(c, upToSequence: 3, unread: 0)),
        ])
        #expect(one.told == ["c#1", "c#3", "read c#3"])
        #expect(two.told == ["c#1", "c#2", "c#3", "read c#3"])
        hub.close(ticket)
        hub.committed([news(.message(Steps.message("c", 4)), from: ticket.id)])
        #expect(two.told.last == "c#4")
        #expect(one.told.count == 3 && other.told.isEmpty)
    }

    @Test("include typing, once a second for each side of each conversation")
    func typing() throws {
        let ((one, ticket), (two, _)) = (try open(), try open())
        let d = Steps.conversation("d")
        hub.committed(
            (0..<1000).map { _ in news(.typing(c, byConsumer: false)) } + [news(.typing(d, byConsumer: false))]
        )
        #expect(one.told == ["typing c them", "typing d them"] && two.told == one.told)
        clock.advance(milliseconds: 999)
        hub.committed([news(.typing(c, byConsumer: false))])
        #expect(hub.admitsTyping(Steps.consumer, c, byConsumer: true))
        #expect(!hub.admitsTyping(Steps.consumer, c, byConsumer: true))
        hub.types(Steps.consumer, c, in: ticket.id)
        #expect(one.told.count == 2 && two.told.last == "typing c us")
        clock.advance(milliseconds: 1)
        hub.committed([news(.typing(c, byConsumer: false)), news(.typing(c, byConsumer: false))])
        #expect(one.told == ["typing c them", "typing d them", "typing c them"])
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
