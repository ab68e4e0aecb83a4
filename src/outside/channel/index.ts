export { ApprovalTickets, organisationOfLink } from "./approval-ticket.ts";
export { channelDeliveriesTo, testDeliveries } from "./channel-notices.ts";
export { channelTargets } from "./channel-target.ts";
export { approvalUrl } from "./console-url.ts";
export { momentText, needsSignIn, untilText } from "./message-item.ts";
export type { Recipient, Recipients } from "./recipient.ts";
export { ANSWER_ACTION, REASON_BLOCK, REASON_MODAL, reasonModal } from "./slack-blocks.ts";
export { SLACK_URL, SlackApi } from "./slack-api.ts";
export { ANSWERS_LABEL, sectionsOf, type SubjectSection, valueText } from "./subject-section.ts";
