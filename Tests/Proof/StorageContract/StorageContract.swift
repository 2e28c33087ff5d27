/// The suite that every engine passes, unchanged: the invariants of `GatewayStore` case by case.
package enum StorageContract {
    /// All cases, independent of each other.
    package static let cases: [ContractCase] =
        AcceptCases.all + ReplayCases.all + QueueCases.all + CollapseCases.all + OutcomeCases.all
        + StoppedDeviceCases.all
        + WindowCases.all + WaitingCases.all + PushClassCases.all + RegistrationCases.all + DeviceLifeCases.all
        + ImportCases.all
        + ReadCases.all + LongConversationCases.all
        + TapCases.all + ProactiveCases.all + CampaignCases.all
        + SessionCases.all + SessionEndCases.all + CredentialSessionCases.all + RegistrationSessionCases.all
        + DeviceProofCases.all
        + MergeCases.all + ConsumerCases.all + UnreachableCases.all + CustomerCases.all + ErasureCases.all
        + OperatorCases.all + DeliveryLinkCases.all
        + HookCases.all + AdministrationCases.all + DeletedAppCases.all + ResealingCases.all + AuditCases.all
        + ClockCases.all + LaneCases.all + SearchCases.all
        + FailureCases.all + DeliveryCases.all
        + LogCases.all + RetryCases.all
        + HousekeepingCases.all + RetentionCases.all + OutboundCases.all + RandomCases.all
}
