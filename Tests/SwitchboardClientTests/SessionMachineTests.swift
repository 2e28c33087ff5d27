import Foundation
import Testing

@testable import SwitchboardClient

@Suite("Session machine", .timeLimit(.minutes(10)))
struct SessionMachineTests {
    @Test("R42: the initialisation's own rule, step by step")
    func initialization() throws {
        let error = SwitchboardError(.storage, "full")
        var machine = SessionMachine()
        #expect(machine.initialize() == .open)
        #expect(machine.openFailed(error) == .reset)
        #expect(throws: SwitchboardError.self) { try machine.admit() }
        #expect(machine.resetEnded() == .open)
        #expect(machine.openFailed(error) == .fail(error))
        #expect(machine.phase == .disabled)
        guard case .fail(let disabled) = machine.initialize() else {
            Issue.record("initialised")
            return
        }
        #expect(disabled.code == .disabled)
        var second = SessionMachine()
        #expect(second.initialize() == .open)
        #expect(second.openFailed(error) == .reset)
        #expect(second.resetEnded() == .open)
        #expect(second.opened() == .initialized)
        #expect(second.initialize() == .ignored)
    }

    /// The events of a schedule.
    private enum Step: CaseIterable {
        case initialize, opened, openFailed, resetEnded, logout, logoutEnded, logoutFailed, lost, consumerChanged
        case authenticated, expired, rejected, replaced
    }

    @Test("10,000 random schedules keep the invariants of the session")
    func schedules() {
        let expired = SwitchboardError(.tokenExpired, "")
        let rejected = SwitchboardError(.authenticationFailed, "")
        let storage = SwitchboardError(.storage, "")
        for seed in 0..<10_000 {
            var generator = SeededGenerator(UInt64(seed))
            var machine = SessionMachine()
            let profile: PlatformProfile = seed % 2 == 0 ? .ios : .android
            var isReady = false
            var failures = 0
            var reported: ClientEvent?
            var wasActive = false
            var events: [ClientEvent] = []
            for _ in 0..<Int.random(in: 1...60, using: &generator) {
                let before = machine
                var actions: [SessionMachine.Action] = []
                let step = Step.allCases.randomElement(using: &generator) ?? .initialize
                switch step {
                case .initialize: actions = [machine.initialize()]
                case .opened: actions = [machine.opened()]
                case .openFailed:
                    if case .initializing = machine.phase { failures += 1 }
                    actions = [machine.openFailed(storage)]
                case .resetEnded: actions = [machine.resetEnded()]
                case .logout:
                    if [.active, .uninitialized].contains(machine.phase) { wasActive = machine.phase == .active }
                    actions = [machine.logout()]
                case .logoutEnded: actions = machine.logoutEnded(nil, wasActive: wasActive)
                case .logoutFailed: actions = machine.logoutEnded(storage, wasActive: wasActive)
                case .lost: actions = machine.lost(.remote)
                case .consumerChanged: machine.consumerChanged()
                case .authenticated: actions = machine.authenticated()
                case .expired: actions = machine.rejected(expired, profile: profile)
                case .rejected: actions = machine.rejected(rejected, profile: profile)
                case .replaced: machine.credentialReplaced()
                }
                if step == .initialize, actions == [.open] { failures = 0 }
                events = actions.compactMap { if case .emit(let event) = $0 { event } else { nil } }

                // Only an active session admits calls and reports anything.
                #expect(((try? machine.admit()) != nil) == (machine.phase == .active))
                // An epoch never goes back, and a call of an earlier one never counts.
                #expect(machine.epoch >= before.epoch)
                if machine.epoch > before.epoch { #expect(!machine.isCurrent(before.epoch)) }
                // A session that ends takes its epoch with it.
                if before.phase == .active, machine.phase == .uninitialized { #expect(machine.epoch > before.epoch) }
                // Disabled is final, and comes after two failures only.
                if before.phase == .disabled { #expect(machine == before) }
                if machine.phase == .disabled, before.phase != .disabled { #expect(failures == 2) }
                // The connection's events alternate, and the last one is true.
                for event in events {
                    guard case .connectionChanged(let ready) = event else { continue }
                    #expect(ready != isReady)
                    isReady = ready
                }
                #expect(machine.isReady == isReady)
                if machine.isReady { #expect(machine.phase == .active || machine.phase == .ending) }
                if machine.isReady, machine.phase == .active { #expect(machine.authentication != .failed) }
                // One event for one error: expired or rejected, never both, never twice in a row (R55).
                let failed = events.filter {
                    switch $0 {
                    case .tokenExpired, .authenticationFailed, .error: true
                    default: false
                    }
                }
                #expect(failed.count <= 1)
                if let event = failed.first {
                    #expect(event != reported)
                    reported = event
                }
                if step == .authenticated || step == .replaced || machine.phase != before.phase { reported = nil }
                // Observers go when the session ends, and only then.
                #expect(
                    actions.contains(.removeObservers)
                        == (machine.phase == .uninitialized && machine.epoch > before.epoch)
                )
            }
        }
    }

    @Test("10,000 random schedules keep the invariants of the token")
    func tokens() {
        for seed in 0..<10_000 {
            var generator = SeededGenerator(UInt64(seed))
            let policy: TokenPolicy = seed % 2 == 0 ? .copilot : .delegate(timeout: .seconds(30))
            var machine = TokenMachine(policy: policy)
            var waiting: Set<Int> = []
            var running: Int?
            var now = Duration.zero
            var last = 0
            for _ in 0..<Int.random(in: 1...60, using: &generator) {
                now += .seconds(Int.random(in: 0...20, using: &generator))
                var action = TokenMachine.Action.none
                switch Int.random(in: 0...6, using: &generator) {
                case 0, 1:
                    last += 1
                    waiting.insert(last)
                    action = machine.need(last, at: now)
                case 2:
                    let attempt = Bool.random(using: &generator) ? running : (running ?? 0) - 1
                    action = machine.obtained("t\(last)", lifetime: .seconds(10), attempt: attempt, at: now)
                case 3:
                    action = machine.failed(
                        SwitchboardError(.connectivity, ""),
                        attempt: Bool.random(using: &generator) ? running : -1,
                        isFinal: Bool.random(using: &generator)
                    )
                case 4: machine.rejected("t\(Int.random(in: 0...last, using: &generator))")
                case 5: action = machine.clear(SwitchboardError(.sessionEnded, ""))
                default:
                    if let waiter = waiting.randomElement(using: &generator) {
                        waiting.remove(waiter)
                        machine.cancelled(waiter)
                    }
                }
                switch action {
                case .ask(let attempt):
                    // One request at a time, each with a number of its own.
                    #expect(running == nil)
                    running = attempt
                case .resume(let numbers, _), .fail(let numbers, _):
                    // Each call has one outcome, and only calls that wait have one.
                    for number in numbers { #expect(waiting.remove(number) != nil || number == last) }
                case .wait: #expect(running != nil)
                case .none: break
                }
                if machine.attempt == nil { running = nil }
                #expect(machine.attempt == running)
                // Nobody waits for nothing.
                if machine.attempt == nil { #expect(waiting.isEmpty) }
            }
        }
    }

    @Test("R83 trap 14: the steps of a logout: the wipe comes last, and only after unregistering or by force")
    func logout() {
        let lost = SwitchboardError(.connectivity, "")
        var machine = LogoutMachine(isForced: false, policy: .standard)
        #expect(machine.first(hasSession: true) == .unregister)
        #expect(machine.first(hasSession: false) == .wipe)
        for seconds in [1, 2, 4, 8, 16] { #expect(machine.unregistered(lost) == .wait(.seconds(seconds))) }
        #expect(machine.unregistered(lost) == .finish(lost))
        #expect(machine.unregistered(nil) == .wipe)
        #expect(machine.wiped(nil) == .finish(nil))
        #expect(machine.wiped(lost) == .finish(lost))
        var forced = LogoutMachine(isForced: true, policy: .standard)
        #expect(forced.unregistered(lost) == .wipe)
        var renewed = LogoutMachine(isForced: false, policy: .standard)
        let expired = SwitchboardError(.tokenExpired, "")
        #expect(renewed.unregistered(expired) == .unregister)
        #expect(renewed.unregistered(expired) == .finish(expired))
        var revoked = LogoutMachine(isForced: false, policy: .standard)
        #expect(revoked.unregistered(SwitchboardError(.authenticationFailed, "", reason: "revoked")) == .wipe)
    }
}
