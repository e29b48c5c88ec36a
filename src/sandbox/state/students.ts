import { Records } from './records.ts';

export interface StudentRecord {
  readonly id: number;
  name: string;
  readonly email: string;
  /** Milliseconds since 1970. */
  readonly created_at: number;
  readonly location: string | null;
  readonly facebook_link: string | null;
  readonly twitter_link: string | null;
  enrolled: boolean;
  readonly admin: boolean;
  readonly is_active: boolean;
  sign_in_count: number;
  points: number;
  paying_student: boolean;
  lesson_views_count: number;
  role_ids: readonly number[];
}

const noRoles: readonly number[] = [];

/** All students. Lookup by email ignores case. */
export class StudentRegister {
  readonly #records = new Records<StudentRecord>();
  readonly #byEmail = new Map<string, StudentRecord>();

  get size(): number {
    return this.#records.size;
  }

  all(): StudentRecord[] {
    return this.#records.all();
  }

  get(id: number): StudentRecord | undefined {
    return this.#records.get(id);
  }

  nextId(): number {
    return this.#records.nextId();
  }

  withEmail(email: string): StudentRecord | undefined {
    return this.#byEmail.get(email.toLowerCase());
  }

  add(student: StudentRecord): StudentRecord {
    this.#byEmail.set(student.email.toLowerCase(), student);
    return this.#records.add(student);
  }

  /** Adds a new student without activity. */
  join(person: { email: string; name: string; createdAt: number }): StudentRecord {
    return this.add({
      id: this.nextId(),
      name: person.name,
      email: person.email,
      created_at: person.createdAt,
      location: null,
      facebook_link: null,
      twitter_link: null,
      enrolled: true,
      admin: false,
      is_active: true,
      sign_in_count: 0,
      points: 0,
      paying_student: true,
      lesson_views_count: 0,
      role_ids: noRoles,
    });
  }
}
