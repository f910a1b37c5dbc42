"""τ-bench's airline as tools: reservations are looked up, booked, changed and cancelled in data that stay in memory.

Everything is checked before anything is changed, so that what is refused has changed nothing. What the airline's policy
forbids but its own system lets through (cancelling late, say) is let through here too: to keep to the policy is the agent's task.
"""

from collections.abc import Iterable
from copy import deepcopy
from datetime import date as Date  # noqa: N812 - a parameter has its name
from datetime import timedelta
from typing import Any, Literal, TypedDict

from tau_world import Data, Refusal, calculate, offered, record, think, transfer_to_human_agents

from tao.tools.declare import Tool

NOW = "2024-05-15T15:00:00"
BOOKINGS = ("HATHAT", "HATHAU", "HATHAV")
"""Ids of the reservations that one task may add, and of the certificates."""
CERTIFICATES = ("certificate_3221322", "certificate_3221323", "certificate_3221324")
AIRPORTS = {
    "SFO": "San Francisco", "JFK": "New York", "LAX": "Los Angeles", "ORD": "Chicago", "DFW": "Dallas", "DEN": "Denver", "SEA": "Seattle",
    "ATL": "Atlanta", "MIA": "Miami", "BOS": "Boston", "PHX": "Phoenix", "IAH": "Houston", "LAS": "Las Vegas", "MCO": "Orlando",
    "EWR": "Newark", "CLT": "Charlotte", "MSP": "Minneapolis", "DTW": "Detroit", "PHL": "Philadelphia", "LGA": "LaGuardia",
}  # fmt: skip
Cabin = Literal["basic_economy", "economy", "business"]


class Leg(TypedDict):
    """A flight on a day."""

    flight_number: str
    date: str


class Passenger(TypedDict):
    """Who flies."""

    first_name: str
    last_name: str
    dob: str


class Payment(TypedDict):
    """What is paid with what."""

    payment_id: str
    amount: int | float


class Airline:
    """The airline over its data, which its tools change."""

    def __init__(self, data: Data) -> None:
        self.data = data

    def tools(self) -> list[Tool]:
        """Everything an agent may do here, in the benchmark's order."""
        writes = (
            self.book_reservation, self.cancel_reservation, self.send_certificate, self.update_reservation_baggages,
            self.update_reservation_flights, self.update_reservation_passengers, transfer_to_human_agents,
        )
        reads = (
            calculate, self.get_reservation_details, self.get_user_details, self.list_all_airports, self.search_direct_flight,
            self.search_onestop_flight, think,
        )
        tools = [*(offered(fn, "writes") for fn in writes), *(offered(fn) for fn in reads)]
        return sorted(tools, key=lambda tool: tool.name)

    # ── looking ───────────────────────────────────────────────────────────────

    def get_reservation_details(self, reservation_id: str) -> dict[str, Any]:
        """Get the details of a reservation.

        Args:
            reservation_id: The reservation id, such as '8JX2WO'.
        """
        return dict(record(self.data["reservations"], reservation_id, "reservation"))

    def get_user_details(self, user_id: str) -> dict[str, Any]:
        """Get the details of a user, including their reservations.

        Args:
            user_id: The user id, such as 'sara_doe_496'.
        """
        return dict(record(self.data["users"], user_id, "user"))

    def list_all_airports(self) -> dict[str, str]:
        """List all airports and their cities."""
        return AIRPORTS

    def search_direct_flight(self, origin: str, destination: str, date: str) -> list[dict[str, Any]]:
        """Search direct flights between two cities on a specific date.

        Args:
            origin: The origin airport in three letters, such as 'JFK'.
            destination: The destination airport in three letters, such as 'LAX'.
            date: The date of the flight in the format 'YYYY-MM-DD', such as '2024-01-01'.
        """
        flights = self.data["flights"].values()
        return [_on(one, date) for one in flights if (one["origin"], one["destination"]) == (origin, destination) and _bookable(one, date)]

    def search_onestop_flight(self, origin: str, destination: str, date: str) -> list[list[dict[str, Any]]]:
        """Search pairs of flights with one stop between two cities, of which the first leaves on a specific date.

        Args:
            origin: The origin airport in three letters, such as 'JFK'.
            destination: The destination airport in three letters, such as 'LAX'.
            date: The date of the first flight in the format 'YYYY-MM-DD', such as '2024-05-01'.
        """
        flights = self.data["flights"].values()
        found = []
        for first in flights:
            if first["origin"] != origin or not _bookable(first, date):
                continue
            arrives = first["scheduled_arrival_time_est"]
            day = _next_day(date) if "+1" in arrives else date
            for second in flights:
                fits = (second["origin"], second["destination"]) == (first["destination"], destination)
                # A flight that arrives at "01:10:00+1" is compared by its hour on the day after.
                if fits and arrives <= second["scheduled_departure_time_est"] and _bookable(second, day):
                    found.append([{**_on(first, date), "date": date}, {**_on(second, day), "date": day}])
        return found

    # ── changing ──────────────────────────────────────────────────────────────

    def book_reservation(
        self, user_id: str, origin: str, destination: str, flight_type: Literal["one_way", "round_trip"], cabin: Cabin,
        flights: list[Leg], passengers: list[Passenger], payment_methods: list[Payment], total_baggages: int, nonfree_baggages: int,
        insurance: Literal["yes", "no"],
    ) -> dict[str, Any]:
        """Book a reservation.

        Args:
            user_id: The id of the user to book the reservation for, such as 'sara_doe_496'.
            origin: The IATA code for the origin city, such as 'SFO'.
            destination: The IATA code for the destination city, such as 'JFK'.
            flight_type: One way or round trip.
            cabin: The cabin of all flights.
            flights: Each piece of flight.
            passengers: Each passenger, with the date of birth as 'YYYY-MM-DD'.
            payment_methods: What is paid with each payment method of the user; together exactly the price.
            total_baggages: The total number of baggage items included in the reservation.
            nonfree_baggages: The number of non-free baggage items included in the reservation.
            insurance: Whether travel insurance is bought.
        """
        user = record(self.data["users"], user_id, "user")
        new = next((one for one in BOOKINGS if one not in self.data["reservations"]), None)
        if new is None:
            raise Refusal("no further reservation can be booked now")
        legs = [self._priced(leg, cabin, len(passengers)) for leg in flights]
        price = sum(leg["price"] for leg in legs) * len(passengers) + 50 * nonfree_baggages
        price += 30 * len(passengers) if insurance == "yes" else 0
        _check_payments(user["payment_methods"], payment_methods, price)
        for payment in payment_methods:
            method = user["payment_methods"][payment["payment_id"]]
            if method["source"] == "gift_card":
                method["amount"] -= payment["amount"]
            elif method["source"] == "certificate":
                del user["payment_methods"][payment["payment_id"]]
        reservation = {
            "reservation_id": new, "user_id": user_id, "origin": origin, "destination": destination, "flight_type": flight_type,
            "cabin": cabin, "flights": legs, "passengers": deepcopy(passengers), "payment_history": deepcopy(payment_methods),
            "created_at": NOW, "total_baggages": total_baggages, "nonfree_baggages": nonfree_baggages, "insurance": insurance,
        }  # fmt: skip
        self.data["reservations"][new] = reservation
        user["reservations"].append(new)
        return reservation

    def cancel_reservation(self, reservation_id: str) -> dict[str, Any]:
        """Cancel the whole reservation.

        Args:
            reservation_id: The reservation id, such as 'ZFA04Y'.
        """
        reservation = record(self.data["reservations"], reservation_id, "reservation")
        paid = reservation["payment_history"]
        paid += [{"payment_id": one["payment_id"], "amount": -one["amount"]} for one in paid]
        reservation["status"] = "cancelled"
        return dict(reservation)

    def send_certificate(self, user_id: str, amount: int | float) -> str:  # noqa: PYI041 - an int stays an int
        """Send a certificate to a user. Be careful!

        Args:
            user_id: The id of the user, such as 'sara_doe_496'.
            amount: Certificate amount to send.
        """
        methods = record(self.data["users"], user_id, "user")["payment_methods"]
        new = next((one for one in CERTIFICATES if one not in methods), None)
        if new is None:
            raise Refusal("no further certificate can be sent to this user now")
        methods[new] = {"source": "certificate", "amount": amount, "id": new}
        return f"Certificate {new} added to user {user_id} with amount {amount}."

    def update_reservation_baggages(
        self, reservation_id: str, total_baggages: int, nonfree_baggages: int, payment_id: str,
    ) -> dict[str, Any]:
        """Update the baggage information of a reservation.

        Args:
            reservation_id: The reservation id, such as 'ZFA04Y'.
            total_baggages: The updated total number of baggage items included in the reservation.
            nonfree_baggages: The updated number of non-free baggage items included in the reservation.
            payment_id: The payment id stored in the user profile, such as 'credit_card_7815826' or 'gift_card_7815826'.
        """
        reservation = record(self.data["reservations"], reservation_id, "reservation")
        self._pay(reservation, payment_id, 50 * max(0, nonfree_baggages - reservation["nonfree_baggages"]))
        reservation["total_baggages"] = total_baggages
        reservation["nonfree_baggages"] = nonfree_baggages
        return dict(reservation)

    def update_reservation_flights(self, reservation_id: str, cabin: Cabin, flights: list[Leg], payment_id: str) -> dict[str, Any]:
        """Update the flight information of a reservation.

        Args:
            reservation_id: The reservation id, such as 'ZFA04Y'.
            cabin: The cabin of all flights.
            flights: Each piece of flight of the ENTIRE new reservation, also those that stay as they are.
            payment_id: The payment id stored in the user profile, such as 'credit_card_7815826' or 'gift_card_7815826'.
        """
        reservation = record(self.data["reservations"], reservation_id, "reservation")
        people = len(reservation["passengers"])
        kept = {(one["flight_number"], one["date"]): one for one in reversed(reservation["flights"]) if cabin == reservation["cabin"]}
        legs = []
        for leg in flights:
            old = kept.get((leg["flight_number"], leg["date"]))
            legs.append({**leg, **{key: old[key] for key in ("price", "origin", "destination")}} if old else self._priced(leg, cabin, people))
        difference = sum(leg["price"] for leg in legs) - sum(one["price"] for one in reservation["flights"])
        self._pay(reservation, payment_id, difference * people)
        reservation["flights"] = legs  # the benchmark leaves the cabin and the seats as they are
        return dict(reservation)

    def update_reservation_passengers(self, reservation_id: str, passengers: list[Passenger]) -> dict[str, Any]:
        """Update the passenger information of a reservation.

        Args:
            reservation_id: The reservation id, such as 'ZFA04Y'.
            passengers: Each passenger, as many as before, with the date of birth as 'YYYY-MM-DD'.
        """
        reservation = record(self.data["reservations"], reservation_id, "reservation")
        if len(passengers) != len(reservation["passengers"]):
            raise Refusal("number of passengers does not match")
        reservation["passengers"] = deepcopy(passengers)
        return dict(reservation)

    # ── what they share ───────────────────────────────────────────────────────

    def _priced(self, leg: Leg, cabin: str, people: int) -> dict[str, Any]:
        """The flight with today's price, where it can be booked for so many. Raises Refusal."""
        number, day = leg["flight_number"], leg["date"]
        flight = record(self.data["flights"], number, "flight")
        on = flight["dates"].get(day)
        if on is None:
            raise Refusal(f"flight {number} not found on date {day}")
        if on["status"] != "available":
            raise Refusal(f"flight {number} not available on date {day}")
        if on["available_seats"][cabin] < people:
            raise Refusal(f"not enough seats on flight {number}")
        return {**leg, "price": on["prices"][cabin], "origin": flight["origin"], "destination": flight["destination"]}

    def _pay(self, reservation: dict[str, Any], payment_id: str, amount: float) -> None:
        """Pay for a change of the reservation, or get money back where the amount is negative. Raises Refusal."""
        methods = self.data["users"][reservation["user_id"]]["payment_methods"]
        method = record(methods, payment_id, "payment method")
        if method["source"] == "certificate":
            raise Refusal("certificate cannot be used to update reservation")
        if method["source"] == "gift_card":
            if method["amount"] < amount:
                raise Refusal("gift card balance is not enough")
            method["amount"] -= amount
        if amount:
            reservation["payment_history"].append({"payment_id": payment_id, "amount": amount})


def _on(flight: dict[str, Any], day: str) -> dict[str, Any]:
    return {**{key: value for key, value in flight.items() if key != "dates"}, **flight["dates"][day]}


def _bookable(flight: dict[str, Any], day: str) -> bool:
    return bool(flight["dates"].get(day, {}).get("status") == "available")


def _next_day(day: str) -> str:
    try:
        return str(Date.fromisoformat(day) + timedelta(days=1))
    except ValueError:
        return day


def _check_payments(methods: dict[str, Any], payments: Iterable[Payment], price: float) -> None:
    """Whether the payments can be made and come to the price. Raises Refusal."""
    owed: dict[str, float] = {}
    for payment in payments:
        key = payment["payment_id"]
        method = record(methods, key, "payment method")
        if method["source"] == "certificate" and key in owed:
            raise Refusal(f"payment method {key} can be used only once")
        owed[key] = owed.get(key, 0) + payment["amount"]
        if method["source"] in {"gift_card", "certificate"} and method["amount"] < owed[key]:
            raise Refusal(f"not enough balance in payment method {key}")
    if (paid := sum(owed.values())) != price:
        raise Refusal(f"payment amount does not add up, total price is {price}, but paid {paid}")
