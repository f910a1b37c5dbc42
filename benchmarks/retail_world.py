"""τ-bench's shop as tools: orders are looked up, changed, cancelled, returned and exchanged in data that stay in memory.

Everything is checked before anything is changed, so that what is refused has changed nothing.
"""

from typing import Any, Literal

from tau_world import Data, Refusal, calculate, offered, record, think, transfer_to_human_agents

from tao.tools.declare import Tool


class Lookups:
    """What can be looked up in the shop's data."""

    def __init__(self, data: Data) -> None:
        self.data = data

    def find_user_id_by_email(self, email: str) -> str:
        """Find a user id by email.

        Args:
            email: The email of the user, such as 'something@example.com'.
        """
        for key, user in self.data["users"].items():
            if user["email"].lower() == email.lower():
                return key
        raise Refusal("user not found")

    def find_user_id_by_name_zip(self, first_name: str, last_name: str, zip: str) -> str:  # noqa: A002 - the benchmark's name
        """Find a user id by first name, last name and zip code, where it is not found by email.

        Args:
            first_name: The first name of the customer, such as 'John'.
            last_name: The last name of the customer, such as 'Doe'.
            zip: The zip code of the customer, such as '12345'.
        """
        wanted = (first_name.lower(), last_name.lower(), zip)
        for key, user in self.data["users"].items():
            if (user["name"]["first_name"].lower(), user["name"]["last_name"].lower(), user["address"]["zip"]) == wanted:
                return key
        raise Refusal("user not found")

    def get_order_details(self, order_id: str) -> dict[str, Any]:
        """Get the status and details of an order.

        Args:
            order_id: The order id, such as '#W0000000'. There is a '#' at its beginning.
        """
        return dict(record(self.data["orders"], order_id, "order"))

    def get_product_details(self, product_id: str) -> dict[str, Any]:
        """Get the inventory details of a product.

        Args:
            product_id: The product id, such as '6086499569', which is not an item id.
        """
        return dict(record(self.data["products"], product_id, "product"))

    def get_user_details(self, user_id: str) -> dict[str, Any]:
        """Get the details of a user, including their orders.

        Args:
            user_id: The user id, such as 'sara_doe_496'.
        """
        return dict(record(self.data["users"], user_id, "user"))

    def list_all_product_types(self) -> dict[str, str]:
        """List the name and product id of all product types; each has items of different options."""
        return dict(sorted((one["name"], one["product_id"]) for one in self.data["products"].values()))


class Retail:
    """The shop over its data, which its tools change."""

    def __init__(self, data: Data) -> None:
        self.data = data

    def tools(self) -> list[Tool]:
        """Everything an agent may do here, in the benchmark's order."""
        writes = (
            self.cancel_pending_order, self.exchange_delivered_order_items, self.modify_pending_order_address,
            self.modify_pending_order_items, self.modify_pending_order_payment, self.modify_user_address,
            self.return_delivered_order_items, transfer_to_human_agents,
        )
        look = Lookups(self.data)
        reads = (
            calculate, look.find_user_id_by_email, look.find_user_id_by_name_zip, look.get_order_details, look.get_product_details,
            look.get_user_details, look.list_all_product_types, think,
        )
        tools = [*(offered(fn, "writes") for fn in writes), *(offered(fn) for fn in reads)]
        return sorted(tools, key=lambda tool: tool.name)

    # ── changing ──────────────────────────────────────────────────────────────

    def cancel_pending_order(self, order_id: str, reason: Literal["no longer needed", "ordered by mistake"]) -> dict[str, Any]:
        """Cancel a pending order and refund what was paid, once the user has explicitly confirmed it.

        Args:
            order_id: The order id, such as '#W0000000'. There is a '#' at its beginning.
            reason: Why it is cancelled.
        """
        order = self._order(order_id, "pending", "cancelled")
        paid = order["payment_history"]
        for one in paid:
            if "gift_card" in one["payment_method_id"]:  # others are refunded in some days, which the data do not show
                record(self._methods(order), one["payment_method_id"], "payment method")
        for one in paid:
            self._move(order, one["payment_method_id"], one["amount"])
        order["status"] = "cancelled"
        order["cancel_reason"] = reason
        order["payment_history"] = paid + [{**one, "transaction_type": "refund"} for one in paid]
        return dict(order)

    def exchange_delivered_order_items(
        self, order_id: str, item_ids: list[str], new_item_ids: list[str], payment_method_id: str,
    ) -> dict[str, Any]:
        """Exchange items of a delivered order for others of the same product, once, after the user has explicitly confirmed it.

        Args:
            order_id: The order id, such as '#W0000000'. There is a '#' at its beginning.
            item_ids: The item ids to be exchanged, each such as '1008292230'; an item may be there more than once.
            new_item_ids: The item ids to be exchanged for, each at the place of the one that it replaces.
            payment_method_id: What pays or receives the difference, such as 'gift_card_0000000' or 'credit_card_0000000'.
        """
        order = self._order(order_id, "delivered", "exchanged")
        difference = round(self._difference(order, item_ids, new_item_ids), 2)
        self._covers(order, payment_method_id, difference)
        order["status"] = "exchange requested"
        order["exchange_items"] = sorted(item_ids)
        order["exchange_new_items"] = sorted(new_item_ids)
        order["exchange_payment_method_id"] = payment_method_id
        order["exchange_price_difference"] = difference
        return dict(order)

    def modify_pending_order_address(
        self, order_id: str, address1: str, address2: str, city: str, state: str, country: str, zip: str,  # noqa: A002
    ) -> dict[str, Any]:
        """Modify the shipping address of a pending order, once the user has explicitly confirmed it.

        Args:
            order_id: The order id, such as '#W0000000'. There is a '#' at its beginning.
            address1: The first line of the address, such as '123 Main St'.
            address2: The second line of the address, such as 'Apt 1' or ''.
            city: The city, such as 'San Francisco'.
            state: The state, such as 'CA'.
            country: The country, such as 'USA'.
            zip: The zip code, such as '12345'.
        """
        order = self._order(order_id, "pending", "modified")
        order["address"] = _address(address1, address2, city, state, country, zip)
        return dict(order)

    def modify_pending_order_items(
        self, order_id: str, item_ids: list[str], new_item_ids: list[str], payment_method_id: str,
    ) -> dict[str, Any]:
        """Change items of a pending order for others of the same product, once, after the user has explicitly confirmed it.

        Args:
            order_id: The order id, such as '#W0000000'. There is a '#' at its beginning.
            item_ids: The item ids to be modified, each such as '1008292230'; an item may be there more than once.
            new_item_ids: The item ids to be modified for, each at the place of the one that it replaces.
            payment_method_id: What pays or receives the difference, such as 'gift_card_0000000' or 'credit_card_0000000'.
        """
        order = self._order(order_id, "pending", "modified")
        difference = self._difference(order, item_ids, new_item_ids)
        self._covers(order, payment_method_id, difference)
        kind = "payment" if difference > 0 else "refund"
        order["payment_history"].append({"transaction_type": kind, "amount": abs(difference), "payment_method_id": payment_method_id})
        self._move(order, payment_method_id, -difference)
        for old, new in zip(item_ids, new_item_ids, strict=True):
            item = next(one for one in order["items"] if one["item_id"] == old)
            variant = self.data["products"][item["product_id"]]["variants"][new]
            item |= {"item_id": new, "price": variant["price"], "options": dict(variant["options"])}
        order["status"] = "pending (item modified)"
        return dict(order)

    def modify_pending_order_payment(self, order_id: str, payment_method_id: str) -> dict[str, Any]:
        """Modify the payment method of a pending order, once the user has explicitly confirmed it.

        Args:
            order_id: The order id, such as '#W0000000'. There is a '#' at its beginning.
            payment_method_id: What pays instead, such as 'gift_card_0000000' or 'credit_card_0000000'.
        """
        order = self._order(order_id, "pending", "modified")
        record(self._methods(order), payment_method_id, "payment method")
        paid = order["payment_history"]
        if len(paid) != 1 or paid[0]["transaction_type"] != "payment":
            raise Refusal("there should be exactly one payment for a pending order")
        old, amount = paid[0]["payment_method_id"], paid[0]["amount"]
        if old == payment_method_id:
            raise Refusal("the new payment method should be different from the current one")
        self._covers(order, payment_method_id, amount)
        if "gift_card" in old:
            record(self._methods(order), old, "payment method")
        self._move(order, payment_method_id, -amount)
        self._move(order, old, amount)
        paid += [
            {"transaction_type": "payment", "amount": amount, "payment_method_id": payment_method_id},
            {"transaction_type": "refund", "amount": amount, "payment_method_id": old},
        ]
        return dict(order)

    def modify_user_address(
        self, user_id: str, address1: str, address2: str, city: str, state: str, country: str, zip: str,  # noqa: A002
    ) -> dict[str, Any]:
        """Modify the default address of a user, once the user has explicitly confirmed it.

        Args:
            user_id: The user id, such as 'sara_doe_496'.
            address1: The first line of the address, such as '123 Main St'.
            address2: The second line of the address, such as 'Apt 1' or ''.
            city: The city, such as 'San Francisco'.
            state: The state, such as 'CA'.
            country: The country, such as 'USA'.
            zip: The zip code, such as '12345'.
        """
        user = record(self.data["users"], user_id, "user")
        user["address"] = _address(address1, address2, city, state, country, zip)
        return dict(user)

    def return_delivered_order_items(self, order_id: str, item_ids: list[str], payment_method_id: str) -> dict[str, Any]:
        """Return some items of a delivered order, once the user has explicitly confirmed it; an email says how.

        Args:
            order_id: The order id, such as '#W0000000'. There is a '#' at its beginning.
            item_ids: The item ids to be returned, each such as '1008292230'; an item may be there more than once.
            payment_method_id: What receives the refund: the original payment method or a gift card.
        """
        order = self._order(order_id, "delivered", "returned")
        record(self._methods(order), payment_method_id, "payment method")
        if "gift_card" not in payment_method_id and payment_method_id != order["payment_history"][0]["payment_method_id"]:
            raise Refusal("payment method should be either the original payment method or a gift card")
        _check_items(order, item_ids)
        order["status"] = "return requested"
        order["return_items"] = sorted(item_ids)
        order["return_payment_method_id"] = payment_method_id
        return dict(order)

    # ── what they share ───────────────────────────────────────────────────────

    def _order(self, order_id: str, status: str, done: str) -> dict[str, Any]:
        """The order, where it is in this state. Raises Refusal."""
        order: dict[str, Any] = record(self.data["orders"], order_id, "order")
        if order["status"] != status:
            raise Refusal(f"non-{status} order cannot be {done}")
        return order

    def _methods(self, order: dict[str, Any]) -> dict[str, Any]:
        methods: dict[str, Any] = self.data["users"][order["user_id"]]["payment_methods"]
        return methods

    def _difference(self, order: dict[str, Any], item_ids: list[str], new_item_ids: list[str]) -> float:
        """How much more the new items cost, where they are there and fit the old ones. Raises Refusal."""
        _check_items(order, item_ids)
        if len(item_ids) != len(new_item_ids):
            raise Refusal("the number of items to be exchanged should match")
        more = 0.0
        for old, new in zip(item_ids, new_item_ids, strict=True):
            item = next(one for one in order["items"] if one["item_id"] == old)
            variant = self.data["products"][item["product_id"]]["variants"].get(new)
            if variant is None or not variant["available"]:
                raise Refusal(f"new item {new} not found or available")
            more += variant["price"] - item["price"]
        return more

    def _covers(self, order: dict[str, Any], payment_method_id: str, amount: float) -> None:
        method = record(self._methods(order), payment_method_id, "payment method")
        if method["source"] == "gift_card" and method["balance"] < amount:
            raise Refusal("insufficient gift card balance")

    def _move(self, order: dict[str, Any], payment_method_id: str, amount: float) -> None:
        """Put money onto a gift card, or take it off; other methods keep no balance here."""
        if "gift_card" in payment_method_id:
            card = self._methods(order)[payment_method_id]
            card["balance"] = round(card["balance"] + amount, 2)


def _check_items(order: dict[str, Any], item_ids: list[str]) -> None:
    there = [item["item_id"] for item in order["items"]]
    for one in item_ids:
        if item_ids.count(one) > there.count(one):
            raise Refusal(f"item {one} not found in this order so many times")


def _address(address1: str, address2: str, city: str, state: str, country: str, zip: str) -> dict[str, str]:  # noqa: A002
    return {"address1": address1, "address2": address2, "city": city, "state": state, "country": country, "zip": zip}
