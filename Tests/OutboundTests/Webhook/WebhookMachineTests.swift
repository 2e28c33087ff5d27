import GatewayModel
import GatewayStorage
import GuardedHTTP
import Outbound
import Testing

@Suite("The webhook state machine")
struct WebhookMachineTests {
    private let now = Timestamp(milliseconds: 1_767_323_045_000)

    private func page(_ positions: [Int64]) -> OutboundPage {
        let items = positions.map {
            OutboundItem(position: $0, type: .messageTapped, time: now, data: JSONText(trusted: "{}"))
        }
        return OutboundPage(items: items, nextAfter: 99, end: 99, removedThrough: 0, isWhole: true)
    }

    private func responded(_ status: Int, retryAfter: Int64? = nil) -> WebhookAttemptResult {
        .responded(status: status, retryAfterSeconds: retryAfter)
    }

    @Test("a batch is decided, posted, and a 2xx of the receiver moves the mark", arguments: [200, 204, 299])
    func way(status: Int) {
        var machine = WebhookMachine(WebhookState(mark: 3))
        #expect(machine.step(now: now) == .collect(after: 3))
        machine.collected(page([]))
        #expect(machine.step(now: now) == .collect(after: 3))
        machine.collected(page([4, 6]))
        #expect(machine.step(now: now) == .send(after: 3, through: 6))
        machine.ended(responded(status), through: 6, now: now, jitter: 0)
        #expect(machine.state.mark == 6 && machine.state.batchThrough == nil && machine.state.lastStatus == status)
        #expect(machine.step(now: now) == .collect(after: 6))
    }

    @Test(
        "any other result retries the same batch later",
        arguments: [
            (WebhookAttemptResult.responded(status: 500, retryAfterSeconds: nil), "refused"),
            (.responded(status: 301, retryAfterSeconds: nil), "refused"),
            (.responded(status: 404, retryAfterSeconds: nil), "refused"), (.failed(.timeout), "timeout"),
            (.failed(.unreachable), "unreachable"), (.failed(.forbiddenAddress), "forbidden_address"),
        ]
    )
    func vain(response: WebhookAttemptResult, error: String) {
        var machine = WebhookMachine(WebhookState(mark: 3))
        machine.collected(page([4, 6]))
        var time = now
        for (attempt, seconds) in [1, 5, 30, 120, 600, 3600, 3600, 3600].enumerated() {
            machine.ended(response, through: 6, now: time, jitter: 0.5)
            let next = time.adding(seconds: Int64(seconds))
            #expect(machine.state.attempts == attempt + 1 && machine.state.lastError == error)
            #expect(machine.step(now: time) == .wait(until: next))
            // The stored state is all that it needs.
            #expect(WebhookMachine(machine.state).step(now: next) == .send(after: 3, through: 6))
            time = next
        }
        machine.ended(responded(200), through: 6, now: time, jitter: 0)
        #expect(machine.state.attempts == 0 && machine.state.nextTry == nil && machine.state.lastError == nil)
    }

    @Test("410 switches it off")
    func gone() {
        var machine = WebhookMachine(WebhookState(mark: 0))
        machine.collected(page([1]))
        machine.ended(responded(410), through: 1, now: now, jitter: 0)
        #expect(machine.state.isSwitchedOff && machine.state.mark == 0 && machine.state.lastError == "gone")
        #expect(machine.step(now: now.adding(seconds: 1_000_000)) == .off)
    }

    @Test("Retry-After makes the wait longer and never shorter; the jitter is a tenth either way")
    func waits() {
        func wait(_ attempts: Int, _ retryAfter: Int64?, _ jitter: Double) -> Int64 {
            WebhookBackOff.milliseconds(attempts: attempts, retryAfterSeconds: retryAfter, jitter: jitter)
        }
        #expect(wait(1, nil, 0) == 900 && wait(1, nil, 1) == 1100 && wait(99, nil, 0.5) == 3_600_000)
        #expect(wait(1, 60, 0.5) == 60_000 && wait(3, 1, 0.5) == 30_000 && wait(1, 0, 0.5) == 1000)
        #expect(wait(0, nil, 9) == 1100 && wait(1, nil, -1) == 900)
    }

    @Test("a clock that was set back does not delay the next attempt")
    func clockSetBack() {
        var machine = WebhookMachine(WebhookState(mark: 0))
        machine.collected(page([1]))
        machine.ended(responded(500), through: 1, now: now, jitter: 0)
        #expect(machine.step(now: now.adding(seconds: -86_400)) == .send(after: 0, through: 1))
    }

    @Test("a batch's id and body depend only on the brand and its items")
    func ids() {
        func batch(_ positions: [Int64], brand: String = "acme", made: Int64 = 1, types: OutboundType? = nil) -> String
        {
            let target = WebhookTarget(
                brand: BrandID(trusted: brand),
                brandCreatedAt: Timestamp(milliseconds: made),
                url: "https://\(positions.count).example",
                types: types.map { [$0] },
                keys: [[1]]
            )
            return WebhookBatch(target: target, items: page(positions).items, hasGap: false).id
        }
        #expect(batch([1, 2]) == batch([1, 2], types: .messageTapped))
        let others = [batch([1, 2]), batch([1, 3]), batch([1, 2, 3]), batch([12]), batch([1, 2], brand: "b")]
        #expect(Set(others + [batch([1, 2], made: 2)]).count == 6)
        #expect(batch([1]).hasPrefix("out_") && batch([1]).utf8.count == 36)
    }
}
