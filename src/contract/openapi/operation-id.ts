/** `listOrders` for `orders.listOrders`: the names are unique without their section. */
export const operationIdOf = (id: string): string => id.slice(id.indexOf('.') + 1);
