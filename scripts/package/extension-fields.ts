import { formTitles } from '../../src/config/field-names.ts';

/** A field of the form that Claude Desktop and Claude Code show when somebody installs the extension. */
interface Field {
  readonly type: 'string' | 'boolean';
  readonly title: string;
  readonly description: string;
  readonly required: boolean;
  readonly sensitive?: boolean;
  readonly default?: string | boolean;
}

/**
 * The form of the bundle and of the plugin. No field is required: with made-up data, nothing has to be filled in.
 * The program says what is missing otherwise, by the titles of the fields.
 */
export const extensionFields = {
  address: {
    type: 'string',
    title: formTitles.ACADEMY_BASE_URL,
    description: 'As you open it in a browser, such as https://academy.example.com, without a path.',
    required: false,
    default: '',
  },
  api_key: {
    type: 'string',
    title: formTitles.ACADEMY_API_KEY,
    description: 'Sign in to the academy as an admin and open Account Settings. Treat the key like a password.',
    required: false,
    sensitive: true,
  },
  time_zone: {
    type: 'string',
    title: formTitles.ACADEMY_TIMEZONE,
    description: 'Where "today" and "last week" begin, such as Europe/Lisbon. If it is empty: UTC.',
    required: false,
    default: '',
  },
  read_only: {
    type: 'boolean',
    title: formTitles.ACADEMY_READ_ONLY,
    description: 'The assistant can change nothing. Leave this on until you trust it with changes.',
    required: false,
    default: true,
  },
  confirmation: {
    type: 'string',
    title: formTitles.ACADEMY_CONFIRM,
    description:
      'Who confirms that something is taken away. auto: you, if the app can ask you; otherwise the assistant. human: always you; refused if the app cannot ask. block: never. If it is empty: auto.',
    required: false,
    default: 'auto',
  },
  try_sandbox: {
    type: 'boolean',
    title: 'Try it with made-up data',
    description: 'Uses an embedded academy instead of yours. It needs no address and no key.',
    required: false,
    default: false,
  },
} as const satisfies Record<string, Field>;

function placeholderOf(field: keyof typeof extensionFields): string {
  return `\${user_config.${field}}`;
}

/** The environment of the program, with a placeholder for each field. */
export const extensionEnvironment = {
  ACADEMY_BASE_URL: placeholderOf('address'),
  ACADEMY_API_KEY: placeholderOf('api_key'),
  ACADEMY_TIMEZONE: placeholderOf('time_zone'),
  ACADEMY_READ_ONLY: placeholderOf('read_only'),
  ACADEMY_CONFIRM: placeholderOf('confirmation'),
  TRY_SANDBOX: placeholderOf('try_sandbox'),
};
