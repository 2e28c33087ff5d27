import GatewayModel
import PushProviders

/// Tests a lane's credential and connection without sending a push.
struct ProviderCheck {
    /// The factory of the provider.
    let factory: PushProviderFactory

    /// A source that never has a push.
    private final class Nothing: PushSource {
        func nextPushes(capacity: Int, into pushes: inout [PushJob]) {}
        func receive(_ responses: [PushResult]) {}
        func providerChanged(_ state: PushProviderState) {}
    }

    /// Checks one lane.
    ///
    /// - Returns: The result as text.
    func check(_ lane: LaneDescription) async -> PushProviderVerdict {
        guard PushProviderFactory.isUsed(lane.key, app: lane.app) else {
            return PushProviderVerdict(
                isUsable: true,
                text: "not used: the app's certificate is for the other environment"
            )
        }
        do {
            let provider = try factory.make(lane: lane.key, app: lane.app, brand: lane.brand, source: Nothing())
            let verdict = await provider.check()
            await provider.shutdown(within: .seconds(1))
            return verdict
        } catch {
            return PushProviderVerdict(isUsable: false, text: "\(error.pointer) \(error.detail)")
        }
    }
}
