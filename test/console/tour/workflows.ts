/** What the tour shows. */
export const REPORT = `name: weekly-report
description: Collects, checks in parallel, and reports.
args:
  topic: { type: string, default: tides }
steps:
  - { id: collect, command: "Collect facts about \${topic}" }
  - { id: check_dates, command: "Check the dates in \${collect.stdout}" }
  - { id: check_names, command: "Check the names in \${collect.stdout}" }
  - id: report
    command: Report what was found
    depends_on: [check_dates, check_names]
`;

export const REFUNDS = `name: refunds
description: Decides about refunds; a person lets the large ones go.
args:
  requests:
    type: array
    default:
      - { order: A-1007, amount: 12 }
      - { order: A-1008, amount: 480 }
steps:
  - id: look_up
    command: Look up the orders
    action: read
  - id: each
    depends_on: [look_up]
    for_each: requests
    as: request
    command: "Is the refund of \${request.amount} for \${request.order} justified?"
    outputs: { reason: string }
  - id: agree
    name: Pay the refunds?
    approval: required
    depends_on: [each]
    show: [{ label: Reasons, table: "\${each.items}" }]
  - id: pay
    command: Pay the refunds
    action: write
    depends_on: [agree]
`;

export const FAILING_ORDERS = `name: orders
description: Fetches an order, and tells the customer.
args:
  order: { type: string, required: true }
steps:
  - { id: fetch, command: "Fetch \${order}" }
  - { id: write, command: "Write to the customer: \${fetch.stdout}" }
  - { id: send, command: Send it, depends_on: [write] }
`;

export const SCRIPT = `default: echo
nodes:
  orders/fetch: [{ fail: provider_error, message: "The shop answered 503 Service Unavailable." }]
  refunds/each: [{ outputs: { reason: "The parcel was broken." }, cost_usd: 0.04 }]
  refunds/look_up: [{ stdout: "Two orders", cost_usd: 0.11 }]
  weekly-report/collect: [{ stdout: "Seven facts", cost_usd: 1.2 }]
  weekly-report/report: [{ stdout: "All is well", cost_usd: 2.4 }]
`;
