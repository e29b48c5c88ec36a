import type { Window } from '../../state/timeline.ts';

/** The rows of a page. Pages count from 1. */
export function windowOf(page: number, perPage: number): Window {
  return { skip: (page - 1) * perPage, take: perPage };
}

/** 0 if there are no rows. */
export function pagesOf(total: number, perPage: number): number {
  return Math.ceil(total / perPage);
}
