/** A demo workflow that exists from the start, so that a new user has something to run. */
export interface DemoWorkflow {
  readonly name: string;
  /** The name of the example with the same content. */
  readonly example: string;
  readonly source: string;
}

const DEMO_HELLO = `name: demo-hello
description: Greets a person, then turns the greeting into a postcard.
args:
  name: { type: string, default: world, maxLength: 80 }
steps:
  - id: greet
    command: Write one friendly sentence that greets \${name}.
  - id: postcard
    command: |
      Write a postcard of at most fifty words that opens with this greeting:
      \${greet.stdout}
`;

const DEMO_DIAMOND = `name: demo-diamond
description: Two views of one city, joined into a briefing.
args:
  city: { type: string, default: Lisbon, minLength: 1 }
phases: [collect, { id: write, name: Write up }]
steps:
  - id: outline
    phase: collect
    command: List the three questions a first-time visitor to \${city} asks most.
  - id: transport
    phase: collect
    command: Answer for getting around \${city}.
    stdin: $outline.stdout
  - id: food
    phase: collect
    command: Answer for eating well in \${city}.
    stdin: $outline.stdout
  - id: briefing
    phase: write
    command: |
      Join these notes into one page about \${city}.
      Getting around: \${transport.stdout}
      Eating: \${food.stdout}
`;

const DEMO_APPROVAL = `name: demo-approval
description: Drafts an announcement, asks a person when it is delicate, then publishes or files it.
args:
  topic: { type: string, default: The new opening hours }
steps:
  - id: draft
    command: Draft a short public announcement about "\${topic}" and say how delicate it is.
    outputs:
      text: { type: string, minLength: 1 }
      risk: { type: string, enum: [LOW, HIGH] }
  - id: picture
    name: Picture (nice to have)
    command: Describe a picture that fits this announcement - \${draft.outputs.text}
    timeout: 30
    on_failure: skip
  - id: release
    name: May this go out?
    condition: draft.outputs.risk == 'HIGH'
    approval: required
    on_failure: skip
    expires: 2d
    show:
      - { label: The announcement, markdown: draft.outputs.text }
      - { label: Its picture, text: picture.stdout }
    depends_on: [picture]
  - id: publish
    command: |
      Publish this text: \${draft.outputs.text}
      With this picture, if any: \${picture.stdout}
    condition: draft.outputs.risk == 'LOW' or $release.approved == true
    action: execute
  - id: file_away
    command: Put the draft aside and note that it was not released.
    condition: draft.outputs.risk == 'HIGH' and $release.approved != true
`;

const DEMO_FOR_EACH = `name: demo-for-each
description: Finds the dishes of a menu and translates each of them.
args:
  language: { type: string, default: Portuguese, enum: [Portuguese, Italian, Greek] }
steps:
  - id: dishes
    command: List the dishes of today's menu.
    outputs:
      dishes: { type: array, items: { type: string } }
  - id: translate
    for_each: dishes.outputs.dishes
    as: dish
    max_items: 50
    max_parallel: 2
    tolerate: 1
    command: Translate dish \${index}, "\${dish}", into \${language}.
  - id: menu
    command: Lay out the translated menu - \${translate.outputs.items}
`;

export const DEMO_WORKFLOWS: readonly DemoWorkflow[] = [
  { name: "demo-hello", example: "01-hello.lobsterX", source: DEMO_HELLO },
  { name: "demo-diamond", example: "02-diamond.lobsterX", source: DEMO_DIAMOND },
  { name: "demo-approval", example: "03-approval.lobsterX", source: DEMO_APPROVAL },
  { name: "demo-for-each", example: "05-for-each.lobsterX", source: DEMO_FOR_EACH },
];
